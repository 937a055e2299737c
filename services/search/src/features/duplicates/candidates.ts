import { type Comparison, compareFacts, factsOf, type MatchKind } from '@tandem/matching';
import { inTurns } from '@tandem/process';
import { matchTerms, misspeltTerms } from '../../fields.ts';
import type { Tools, Tx } from '../../handler.ts';
import { readStored, type Stored } from '../search/stored.ts';

// Records that are compared for each key, the newest first.
const askedPerKeyMax = 50;

/** What other records are compared with. */
interface Wanted {
  type: MatchKind;
  record: object;
  /** The stored document of the record, which is no duplicate of itself. */
  ownKey?: number | undefined;
  owners?: string[] | undefined;
  threshold: number;
  perKeyMax?: number;
}

export type Duplicate = Comparison & Pick<Stored, 'key' | 'documentId'> & { document: Record<string, unknown> };

/** The documents that are as similar to a record as the threshold demands, the most similar first. */
export async function duplicatesOf(
  { driver }: Tools,
  tx: Tx,
  { type, record, ownKey, owners, threshold, perKeyMax = askedPerKeyMax }: Wanted,
): Promise<Duplicate[]> {
  const index = await driver.index(tx, type);
  const [terms, rare] = [matchTerms(type, record), misspeltTerms(type, record)];
  const keys = await driver.withTerms(tx, { index, terms, rare, owners, max: perKeyMax });
  const stored = await readStored(
    tx,
    keys.filter((key) => key !== ownKey),
  );
  const facts = factsOf(type, record);
  const compared = await inTurns([...stored.values()], ({ document: json, ...rest }) => {
    const document = JSON.parse(json);
    return { ...rest, document, ...compareFacts(facts, factsOf(type, document)) };
  });
  return compared
    .filter(({ score }) => score > 0 && score >= threshold)
    .sort((one, other) => other.score - one.score || other.key - one.key);
}
