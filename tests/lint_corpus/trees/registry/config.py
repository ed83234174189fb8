train_pipeline = [
    dict(type="LoadImage"),
    dict(type="RandomFlip", ratio=0.5),
    dict(type="Resize", scales=[1, 2]),
]
