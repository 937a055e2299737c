import { unknownId } from '@tandem/contract';
import type { duplicates } from '@tandem/search-contract';
import { failField } from '@tandem/service';
import { reindexIfOutdated } from '../../driver/postgres/reindex-documents.job.ts';
import { matchTerms } from '../../fields.ts';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { canonicalId, type DocumentType } from '../documents/document.ts';
import { ownersFor } from '../search/owners.ts';
import { duplicatesOf } from './candidates.ts';

// Fields of which one is enough to find duplicates.
const comparedFields = {
  lead: 'an `email`, a `phone`, or `firstName` and `lastName`',
  account: 'a `name`, `company`, `domain`, `website`, `email` or `phone`',
  partner: 'an `email`, a `phone`, a `company`, `domain` or `website`, or `firstName` and `lastName`',
};

export const findDuplicates =
  (tools: Tools): Handler<typeof duplicates.findDuplicates> =>
  async ({ body: { type, id, data, threshold, limit }, caller, tx, schedule }) => {
    const owners = ownersFor(type, caller, tools);
    if ((id === undefined) === (data === undefined))
      throw failField(id === undefined ? 'id' : 'data', 'Must have either `id` or `data`, not both');
    const own =
      id === undefined
        ? undefined
        : await findOwn(tools, tx, { type, id: canonicalId(tools, caller, type, id), owners });
    if (id !== undefined && !own) throw failField('id', unknownId(type));
    if (data && !matchTerms(type, data).length) throw failField('data', `Must have ${comparedFields[type]}`);
    const record = own?.document ?? data ?? {};
    await reindexIfOutdated(tx, schedule);
    const found = await duplicatesOf(tools, tx, { type, record, ownKey: own?.key, owners, threshold });
    return found.slice(0, limit).map(({ documentId, score, level, signals, document }) => ({
      id: documentId,
      score,
      level,
      signals,
      document,
    }));
  };

/** The document of a record that the caller may find. */
async function findOwn(
  { driver }: Tools,
  tx: Tx,
  { type, id, owners = null }: { type: DocumentType; id: string; owners?: string[] | null | undefined },
): Promise<{ key: number; document: Record<string, unknown> } | undefined> {
  const [row] = await tx.sql<{ key: number; document: Record<string, unknown> }>`
    SELECT id AS key, document FROM document
    WHERE type = ${await driver.index(tx, type)} AND document_id = ${id} AND removed_at IS NULL
      AND (${owners}::text[] IS NULL OR owners && ${owners}::text[])`;
  return row;
}
