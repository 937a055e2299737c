import { signatureLimits } from '@tandem/files-contract';
import { failField } from '@tandem/service';
import { type Drawing, drawingBox } from './pdf/stamp.ts';

/** A signature as a person gave it. */
export interface GivenSignature {
  type: 'typed' | 'drawn';
  value: string;
}

const typedMax = 100;
const prefix = 'data:image/png;base64,';
const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
// Width and height, in pixels. A decoded image needs four bytes for each.
const pixelsMax = { width: 2_000, height: 1_000 };
const stroke = /^(?:M ?\d{1,4} \d{1,4}(?: ?L ?\d{1,4} \d{1,4})* ?)+$/;

/** @throws 422 that names what a signature must be */
export function checkSignature({ type, value }: GivenSignature): void {
  if (type === 'typed') {
    const length = value.trim().length;
    if (length < 1 || length > typedMax)
      throw failField('signature.value', `Must be a name of 1 to ${typedMax} characters`);
    return;
  }
  drawingOf(value);
}

/** A drawn signature to print. */
export function drawingOf(value: string): Drawing {
  if (!value.startsWith(prefix)) return { path: pathOf(value) };
  const png = Buffer.from(value.slice(prefix.length), 'base64');
  const isPng = png.length > 33 && png.subarray(0, 8).equals(pngStart) && png.toString('latin1', 12, 16) === 'IHDR';
  if (!isPng) throw failField('signature.value', 'Must be a PNG image');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (!width || !height || width > pixelsMax.width || height > pixelsMax.height)
    throw failField('signature.value', `Must be at most ${pixelsMax.width} by ${pixelsMax.height} pixels`);
  return { png: new Uint8Array(png) };
}

function pathOf(value: string): string {
  if (value.length > signatureLimits.drawing / 4 || !stroke.test(value))
    throw failField('signature.value', 'Must be a PNG image or a path of M and L with whole numbers');
  const numbers = value.match(/\d+/g)?.map(Number) ?? [];
  const isInside = numbers.every((number, index) => number <= (index % 2 ? drawingBox.height : drawingBox.width));
  if (!isInside) throw failField('signature.value', `Must be in a box of ${drawingBox.width} by ${drawingBox.height}`);
  if (!value.includes('L')) throw failField('signature.value', 'Must contain a line');
  return value;
}
