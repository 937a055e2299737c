import { walkIds } from '@tandem/contract';
import { Account, Lead, Opportunity } from '@tandem/crm-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { Partner } from '@tandem/partner-contract';
import { z } from 'zod';
import type { DocumentType } from './document.ts';

const schemas: Record<DocumentType, z.ZodObject> = {
  lead: Lead,
  opportunity: Opportunity,
  partner: Partner,
  account: Account,
};

// To the gateway a document is free-form, so its ids get their public form here, by the schema of the record.
const rewriters = new Map(Object.entries(schemas).map(([type, schema]) => [type, compileRewriter(walkIds(schema))]));

// Fields that a record of the previous release lacks are null, as in events.
const nulls = Object.fromEntries(
  Object.entries(schemas).map(([type, { shape }]) => {
    const nullable = Object.entries(shape).filter(([, field]) => (field as z.ZodType).safeParse(null).success);
    return [type, Object.fromEntries(nullable.map(([name]) => [name, null]))];
  }),
);

/** A record as the document that is indexed for it: in wire form, with public ids. */
export function recordDocument(
  ids: IdCodec,
  { type, tenantId, record }: { type: DocumentType; tenantId: number; record: object },
): Record<string, unknown> {
  const document = z.encode(schemas[type], { ...nulls[type], ...record }) as Record<string, unknown>;
  rewriters.get(type)?.(document, (idType, id) => ids.encode(idType, tenantId, Number(id)));
  return document;
}
