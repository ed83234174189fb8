"""Folders of images, indexed."""
