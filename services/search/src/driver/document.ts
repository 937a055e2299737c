import type { documentTypes } from '@tandem/search-contract';

export type DocumentType = (typeof documentTypes)[number];

/** A change of the index. */
export interface Writing {
  type: DocumentType;
  documentId: string;
  /** Version of a record, which replaces older versions only. A client's document has none and always replaces. */
  version?: number;
  /** Absent when the document is removed. */
  document?: Record<string, unknown>;
  indexedAt: Date;
}
