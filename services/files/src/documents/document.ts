/** A rectangle on a page: left, top, right and bottom, from the top left corner. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** A part of a line that is apart from the next one, such as a cell of a table. */
export interface Segment {
  text: string;
  box: Box;
}

export interface Line extends Segment {
  /** From 0 to 1: how sure the recognition is; 1 for text that the document contains as text. */
  confidence: number;
  segments: Segment[];
}

/** The text of a page. Boxes are in points for documents and in pixels for pictures. */
export interface PageText {
  number: number;
  width: number;
  height: number;
  text: string;
  confidence: number;
  lines: Line[];
}

/** A picture in WebP. */
export interface Preview {
  width: number;
  height: number;
  content: Uint8Array;
}

/** Why a document or picture cannot be read. */
export const documentFaults = {
  encrypted: 'The document is protected with a password; upload one without protection',
  damaged: 'The file cannot be read; it is damaged or not what its type says',
  too_large: 'The document or picture is too large or too complex to process',
} as const;

export type DocumentFault = keyof typeof documentFaults;

/** A document or picture cannot be read, because of its content: a retry fails again. */
export class DocumentError extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault) {
    super(documentFaults[fault]);
    this.fault = fault;
  }
}
