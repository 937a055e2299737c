import { appendCertificate, type Certificate } from './certificate-pages.ts';
import { openDocument } from './document.ts';
import { embedFonts } from './fonts.ts';
import { addPlaceholder, signDocument } from './sign.ts';
import type { SigningKey } from './signing-key.ts';
import { type Stamp, stampAll } from './stamp.ts';

/** The input from which the signed document is made. */
export interface FinishInput {
  document: Uint8Array;
  stamps: Stamp[];
  certificate: Certificate;
  /** A signature of the sandbox is marked as one. */
  environment: 'live' | 'sandbox';
  key: SigningKey;
  signingTime: Date;
  /** The purpose and the name in the signature. */
  reason: string;
  name: string;
}

/**
 * Prints the values, appends the certificate and signs. The document is only appended to, so the bytes that people signed
 * remain the beginning of the file.
 */
export async function finishDocument(input: FinishInput): Promise<Uint8Array> {
  const document = await openDocument(input.document, true);
  const fonts = await embedFonts(document);
  await stampAll(document, fonts, input.stamps);
  appendCertificate(document, fonts, input.certificate);
  addPlaceholder(document, input);
  const prepared = await document.commit({ useObjectStreams: false });
  return signDocument(prepared, input);
}

/** A document of its own with the certificate, for a request that is not completed. */
export async function certificateDocument(certificate: Certificate): Promise<Uint8Array> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  const document = await PDFDocument.create();
  appendCertificate(document, await embedFonts(document), certificate);
  return document.save();
}

/** Whether an image can be printed. */
export async function isImage(png: Uint8Array): Promise<boolean> {
  const { PDFDocument } = await import('@cantoo/pdf-lib');
  try {
    const document = await PDFDocument.create();
    await document.embedPng(png);
    await document.flush();
    return true;
  } catch {
    return false;
  }
}
