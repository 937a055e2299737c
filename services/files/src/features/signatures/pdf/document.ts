import { PDFArray, PDFDict, type PDFDocument, PDFName, type PDFObject, PDFStream } from '@cantoo/pdf-lib';

import { limitStreams } from './limit-streams.ts';

/** Limits of documents that can be signed. */
export const documentLimits = { bytes: 25 * 1024 * 1024, pages: 500, objects: 200_000 };

/** The displayed size of a page, in points. */
export interface PageSize {
  width: number;
  height: number;
}

/** Why a document cannot be signed. */
export type DocumentError = 'not_pdf' | 'encrypted' | 'has_scripts' | 'has_xfa' | 'too_many_pages' | 'too_complex';

/** An expected failure of the work on a document. */
export class DocumentFailure extends Error {
  readonly reason: DocumentError;
  constructor(reason: DocumentError) {
    super(reason);
    this.reason = reason;
  }
}

export type Inspected = { pages: PageSize[] } | { error: DocumentError };

// Actions that run code or open programs. A document with them may show something else than what was signed.
const scriptActions = new Set(['JavaScript', 'Launch', 'ImportData', 'SubmitForm', 'Rendition']);
const depthMax = 64;

/**
 * Opens a document.
 * @throws DocumentFailure when it cannot be signed
 */
export async function openDocument(bytes: Uint8Array, forIncrementalUpdate = false): Promise<PDFDocument> {
  const { PDFDocument: Documents, EncryptedPDFError, ParseSpeeds } = await import('@cantoo/pdf-lib');
  if (!startsAsPdf(bytes) || !endsAsPdf(bytes)) throw new DocumentFailure('not_pdf');
  limitStreams(() => new DocumentFailure('too_complex'));
  let document: PDFDocument;
  try {
    document = await Documents.load(bytes, {
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
      forIncrementalUpdate,
      preserveXFA: true,
      capNumbers: true,
      // Programs that repair a document may show different contents of it.
      throwOnInvalidObject: true,
    });
  } catch (error) {
    if (error instanceof DocumentFailure) throw error;
    const isEncrypted = error instanceof EncryptedPDFError || /encrypted|password/i.test(String(error));
    throw new DocumentFailure(isEncrypted ? 'encrypted' : 'not_pdf');
  }
  if (document.isEncrypted) throw new DocumentFailure('encrypted');
  return document;
}

/** The displayed sizes of the pages, or why the document cannot be signed. */
export async function inspectDocument(bytes: Uint8Array): Promise<Inspected> {
  try {
    const document = await openDocument(bytes);
    return { pages: pageSizes(document) };
  } catch (error) {
    // Libraries throw many kinds of errors for malformed documents, and the client can react to all of them alike.
    return { error: error instanceof DocumentFailure ? error.reason : 'not_pdf' };
  }
}

function pageSizes(document: PDFDocument): PageSize[] {
  checkActions(document);
  const pages = document.getPages();
  if (!pages.length) throw new DocumentFailure('not_pdf');
  if (pages.length > documentLimits.pages) throw new DocumentFailure('too_many_pages');
  return pages.map((page) => {
    const { width, height } = page.getCropBox();
    if (!(width > 0 && height > 0 && width < 20_000 && height < 20_000)) throw new DocumentFailure('not_pdf');
    return page.getRotation().angle % 180 === 0 ? { width, height } : { width: height, height: width };
  });
}

/** The header may come after other bytes, within the first 1,024 (ISO 32000). */
function startsAsPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1_024)).includes('%PDF-');
}

/** A truncated document has no end; other bytes may follow it, as far as readers accept (ISO 32000). */
function endsAsPdf(bytes: Uint8Array): boolean {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(-2_048);
  return end.includes('startxref') && end.includes('%%EOF');
}

function checkActions(document: PDFDocument): void {
  let seen = 0;
  for (const [, object] of document.context.enumerateIndirectObjects()) {
    if (++seen > documentLimits.objects) throw new DocumentFailure('too_complex');
    checkObject(object, 0);
  }
}

function checkObject(object: PDFObject | undefined, depth: number): void {
  if (depth > depthMax) throw new DocumentFailure('too_complex');
  if (object instanceof PDFArray) {
    for (const item of object.asArray()) checkObject(item, depth + 1);
    return;
  }
  const dict = object instanceof PDFStream ? object.dict : object;
  if (!(dict instanceof PDFDict)) return;
  const action = dict.get(PDFName.of('S'));
  if (action instanceof PDFName && scriptActions.has(action.decodeText())) throw new DocumentFailure('has_scripts');
  if (dict.has(PDFName.of('JS')) || dict.has(PDFName.of('JavaScript'))) throw new DocumentFailure('has_scripts');
  if (dict.has(PDFName.of('XFA'))) throw new DocumentFailure('has_xfa');
  for (const [, value] of dict.entries()) checkObject(value, depth + 1);
}
