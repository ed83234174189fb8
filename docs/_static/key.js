// The words of the stream contract: Philox4x64-10 at the address of a sample's key, and the draws from a word.
globalThis.seedsafe = (() => {
  const low = (n) => n & 0xffffffffffffffffn;
  const block = ([a, b], [w, x, y, z]) => {
    for (let round = 0; round < 10; round++) {
      const p = 0xd2e7470ee14c6c93n * w, q = 0xca5a826395121157n * y;
      [w, x, y, z] = [(q >> 64n) ^ x ^ a, low(q), (p >> 64n) ^ z ^ b, low(p)];
      a = low(a + 0x9e3779b97f4a7c15n);
      b = low(b + 0xbb67ae8584caa73bn);
    }
    return [w, x, y, z];
  };
  const words = ({ seed, epoch, index, occurrence = 0, view = 0, call = 0 }, op = 0, n = 4) => {
    const [s, e, i, o, v, c, p] = [seed, epoch, index, occurrence, view, call, op].map(BigInt), made = [];
    for (let at = 1n; made.length < n; at++) {
      made.push(...block([low(s), s >> 64n], [at, (e << 32n) | (o << 16n) | v, (p << 32n) | (c << 16n), i]));
    }
    return made.slice(0, n);
  };
  const unit = (w) => Number(w >> 11n) * 2 ** -53;
  const uniform = (w, a, b) => a + (b - a) * unit(w);
  const integer = (w, n) => Number((w * BigInt(n)) >> 64n);
  return { words, unit, uniform, integer };
})();
