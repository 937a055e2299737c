import { walkIds } from '@tandem/contract';
import { Lead, Opportunity } from '@tandem/crm-contract';
import { compileRewriter, type IdCodec } from '@tandem/ids';
import { Partner } from '@tandem/partner-contract';
import { z } from 'zod';
import type { DocumentType } from './document.ts';

const schemas: Record<DocumentType, z.ZodType> = { lead: Lead, opportunity: Opportunity, partner: Partner };

// To the gateway a document is free-form, so its ids get their public form here, by the schema of the record.
const rewriters = new Map(Object.entries(schemas).map(([type, schema]) => [type, compileRewriter(walkIds(schema))]));

/** A record as the document that is indexed for it: in wire form, with public ids. */
export function recordDocument(
  ids: IdCodec,
  { type, tenantId, record }: { type: DocumentType; tenantId: number; record: unknown },
): Record<string, unknown> {
  const document = z.encode(schemas[type], record) as Record<string, unknown>;
  rewriters.get(type)?.(document, (idType, id) => ids.encode(idType, tenantId, Number(id)));
  return document;
}
