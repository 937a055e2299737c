import { decodePDFRawStream, PDFContext, PDFRawStream } from '@cantoo/pdf-lib';

/** Maximum size of an unpacked stream of objects; compressed ones of 25 MB can have 25 GB. */
export const unpackedMax = 64 * 1024 * 1024;

interface Decoder {
  ensureBuffer(size: number): Uint8Array;
}

let isLimited = false;

/**
 * Makes the library stop when a stream unpacks to more than the maximum. It has no such option, and the memory of buffers
 * is not limited by that of their thread.
 * @param failure creates the error that is thrown
 */
export function limitStreams(failure: () => Error): void {
  if (isLimited) return;
  isLimited = true;
  const emptyZlib = new Uint8Array([0x78, 0x9c]);
  const dict = PDFContext.create().obj({ Filter: 'FlateDecode' });
  const decoder: unknown = decodePDFRawStream(PDFRawStream.of(dict, emptyZlib));
  // The class of all decoders, which the library does not export.
  const base = Object.getPrototypeOf(Object.getPrototypeOf(decoder)) as Decoder;
  const original = base.ensureBuffer;
  base.ensureBuffer = function ensureBuffer(this: Decoder, size: number) {
    if (size > unpackedMax) throw failure();
    return original.call(this, size);
  };
}
