const valueMax = 127;

/** A vector of length 1 in one byte per dimension, scaled to its largest value: cosines do not depend on the scale. */
export function quantized(values: ArrayLike<number>): Int8Array {
  let largest = 0;
  for (let n = 0; n < values.length; n++) largest = Math.max(largest, Math.abs(values[n] as number));
  const scale = largest === 0 ? 0 : valueMax / largest;
  return Int8Array.from(values, (value) => Math.round(value * scale));
}

/** The cosine of the angle between two vectors; 0 if one has no length or they have different dimensions. */
export function cosine(one: Int8Array, other: Int8Array): number {
  if (one.length !== other.length) return 0;
  let [product, oneSquared, otherSquared] = [0, 0, 0];
  for (let n = 0; n < one.length; n++) {
    const [a, b] = [one[n] as number, other[n] as number];
    product += a * b;
    oneSquared += a * a;
    otherSquared += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(oneSquared * otherSquared);
}
