import { localVector } from '../../embedding/local.ts';
import { termsOf } from '../../fields.ts';
import { facetTerm, isKeyTerm } from '../../terms.ts';
import { searchedTypes } from '../document.ts';
import { typeOfIndex } from '../postgres/generations.ts';
import { withOwners } from '../postgres/write-documents.ts';
import { wordField, wordWeights } from './mapping.ts';
import type { Scope } from './query.ts';

/** The row of a document. */
export interface DocumentRow {
  id: number;
  /** The index. */
  type: string;
  document: Record<string, unknown>;
  owners: string[];
  status: string | null;
  source: string | null;
  stage: string | null;
  tier: string | null;
  currency: string | null;
  assignedTo: string | null;
  score: number | null;
  value: number | null;
  createdAt: Date | null;
  isRemoved: boolean;
}

/** Writes a document, or removes it. */
export interface Action {
  key: number;
  version: number;
  /** Absent when it is removed. */
  document?: Record<string, unknown>;
}

/** Whether a search may find a document: it was not removed, and is no account, which are indexed for duplicates only. */
export function isSearched({ type: index, isRemoved }: DocumentRow): boolean {
  return !isRemoved && searchedTypes.some((type) => type === typeOfIndex(index));
}

/** Removes a document. */
export function removal(key: number, version: number): Action {
  return { key, version };
}

/** Writes a document with the terms that PostgreSQL has for it. */
export function writeAction({ tenantId, environment }: Scope, row: DocumentRow, version: number): Action {
  const { id, type: index, document, owners, createdAt, isRemoved, ...rest } = row;
  const type = typeOfIndex(index);
  const terms = [...withOwners(termsOf(document, type), owners)];
  const words = terms.filter(([, weight]) => weight > 0);
  const others = terms.filter(([term, weight]) => weight === 0 && !isKeyTerm(term));
  const byWeight = wordWeights.map((weight) => [
    wordField(weight),
    words.filter(([, one]) => one === weight).map(([term]) => term),
  ]);
  const sortName = facetTerm('name', '');
  const name = others.find(([term]) => term.startsWith(sortName))?.[0].slice(sortName.length);
  const values = { ...rest, createdAt: createdAt?.toISOString() ?? null, name };
  return {
    key: id,
    version,
    document: {
      tenant: String(tenantId),
      environment,
      index,
      key: id,
      version,
      terms: others.map(([term]) => term),
      ...Object.fromEntries(byWeight),
      ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)),
      ...(words.length && { vector: [...localVector(words)] }),
    },
  };
}
