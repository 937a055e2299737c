import { RecordPair } from '@tandem/search-contract';
import type { z } from 'zod';
import type { DuplicatePair as PairRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';

const columns = RecordPair.pick({ type: true, level: true, status: true, signals: true });

type Shown = z.output<typeof RecordPair>;
type Summary = Shown['records'][number];

/** Converts rows to the contract's pairs, with what identifies the two records. */
export async function asPairs(tools: Tools, tx: Tx, rows: PairRow[]): Promise<Shown[]> {
  const summaries = await summariesOf(tools, tx, rows);
  return rows.map((row) => {
    const summary = (id: string) => summaries.get(`${row.type} ${id}`) ?? summaryOf({ id, document: {} });
    const { id, score, dismissedBy, dismissedAt, version, createdAt, updatedAt } = row;
    return {
      ...{ id, score, dismissedBy, dismissedAt, version, createdAt, updatedAt },
      ...columns.parse(row),
      records: [summary(row.firstId), summary(row.secondId)],
    };
  });
}

/** By type and document id. */
async function summariesOf({ driver }: Tools, tx: Tx, rows: PairRow[]): Promise<Map<string, Summary>> {
  const found = new Map<string, Summary>();
  for (const [type, ofType] of Map.groupBy(rows, (row) => columns.shape.type.parse(row.type))) {
    const ids = ofType.flatMap(({ firstId, secondId }) => [firstId, secondId]);
    const documents = await tx.sql<{ id: string; document: Record<string, unknown> }>`
      SELECT document_id AS id, document FROM document
      WHERE type = ${await driver.index(tx, type)} AND document_id = ANY(${ids}::text[]) AND removed_at IS NULL`;
    for (const one of documents) found.set(`${type} ${one.id}`, summaryOf(one));
  }
  return found;
}

function summaryOf({ id, document }: { id: string; document: Record<string, unknown> }): Summary {
  const text = (field: string) => {
    const value = document[field];
    return typeof value === 'string' && value !== '' ? value.slice(0, 200).toWellFormed() : null;
  };
  const person = [text('firstName'), text('lastName')].filter((part) => part !== null).join(' ');
  const name = person === '' ? (text('name') ?? text('contactName')) : person;
  return { id, name, company: text('company'), email: text('email'), phone: text('phone') };
}
