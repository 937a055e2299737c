import { leadCreated, leadRestored, leadUpdated } from '@tandem/crm-contract';
import { consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import {
  compareLeads,
  findOpenPairs,
  findSimilarLeads,
  lockCandidates,
  type Pair,
  removePairs,
  storePairs,
} from './duplicate-pairs.ts';

/**
 * Finds leads that may be the same person, after each creation, restoration, and change of address, phone or name.
 * Reads the current leads instead of the records in the events: events may be late, and a batch may contain several for
 * one lead. Open pairs of these leads are compared again; pairs that no longer share anything are removed.
 */
export const detectDuplicates = consumer({
  name: 'detect-duplicates',
  on: [leadCreated, leadUpdated, leadRestored],
  async handle(events, { tx }: { tx: Tx }) {
    const leadIds = [...new Set(events.filter(concernsIdentity).map(({ record }) => record.id))];
    if (!leadIds.length) return;
    const candidates = [...(await findSimilarLeads(tx, leadIds)), ...(await findOpenPairs(tx, leadIds))];
    if (!candidates.length) return;
    await lockCandidates(tx, candidates);
    const pairs = await compareLeads(tx, candidates);
    const isAlike = ({ confidence }: Pair) => confidence > 0;
    await storePairs(tx, pairs.filter(isAlike));
    await removePairs(
      tx,
      pairs.filter((pair) => !isAlike(pair)),
    );
  },
});

type Event = Received<typeof leadCreated | typeof leadUpdated | typeof leadRestored>;

const identityFields = ['email', 'phone', 'firstName', 'lastName'];

function concernsIdentity({ name, data }: Event): boolean {
  if (name !== 'lead.updated') return true;
  const { changes } = data as { changes: object };
  return Object.keys(changes).some((field) => identityFields.includes(field));
}
