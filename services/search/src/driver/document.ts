import { documentTypes, indexedTypes } from '@tandem/search-contract';

/** Types of the documents of records. */
export const recordTypes = indexedTypes;
export type DocumentType = (typeof recordTypes)[number];

/** Types of the documents that searches find. */
export const searchedTypes = documentTypes;
export type SearchedType = (typeof searchedTypes)[number];

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
