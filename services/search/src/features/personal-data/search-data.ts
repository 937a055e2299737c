import type { Person } from '@tandem/contract';
import { documentTypes } from '@tandem/search-contract';
import { exportSection, type PersonalData } from '@tandem/service';
import { z } from 'zod';
import type { SearchDriver } from '../../driver/driver.ts';
import type { Tx } from '../../handler.ts';
import { wholeTerm } from '../../terms.ts';
import type { DocumentType } from '../documents/document.ts';

const batchMax = 200;

const StoredDocument = z.object({
  type: z.enum(documentTypes),
  id: z.string(),
  document: z.record(z.string(), z.unknown()),
});

/** The data of a person in search: the documents of the leads, and documents of clients with the e-mail address. Their pairs go with them. */
export const searchData = (driver: SearchDriver): PersonalData<Tx> => ({
  async erase({ tx, person }) {
    const found = await findDocuments(driver, tx, person, batchMax);
    const indexedAt = new Date();
    await driver.write(
      tx,
      found.map(({ type, id: documentId }) => ({ type: type as DocumentType, documentId, indexedAt })),
    );
    // The leads are deleted already, so their documents may be removed before: their pairs are only hidden then.
    const paired = [...found, ...person.leadCodes.map((id) => ({ type: 'lead', id }))];
    const [types, ids] = [paired.map(({ type }) => type), paired.map(({ id }) => id)];
    await tx.sql`DELETE FROM duplicate_record
      WHERE (type, document_id) IN (SELECT * FROM unnest(${types}::text[], ${ids}::text[]))`;
    return { documents: found.length };
  },
  async read({ tx, person }) {
    return [
      await exportSection('documents', StoredDocument, {
        count: async () => (await findDocuments(driver, tx, person, 100_000)).length,
        find: (max) => findDocuments(driver, tx, person, max),
      }),
    ];
  },
});

/** Documents of clients have version 0; other records with the address are not about the lead. */
async function findDocuments(
  driver: SearchDriver,
  tx: Tx,
  { leadCodes, emails }: Person,
  max: number,
): Promise<z.output<typeof StoredDocument>[]> {
  const indexes = await Promise.all(documentTypes.map((type) => driver.index(tx, type)));
  const leads = await driver.index(tx, 'lead');
  const terms = emails.map(wholeTerm);
  return tx.sql`SELECT split_part(type, ':', 1) AS type, document_id AS id, document FROM document
    WHERE removed_at IS NULL AND (type = ${leads} AND document_id = ANY(${leadCodes}::text[])
      OR version = 0 AND id IN (SELECT doc_id FROM posting
        WHERE type = ANY(${indexes}::text[]) AND term = ANY(${terms}::text[])))
    ORDER BY id LIMIT ${max}::int`;
}
