import { leadCreated, leadRestored, leadUpdated } from '@tandem/crm-contract';
import { consumer, type Received } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { pairLeads } from './duplicate-pairs.ts';

/**
 * Finds leads that may be the same person, after each creation, restoration, and change of address, phone or name.
 * Reads the current leads instead of the records in the events: events may be late, and a batch may contain several for
 * one lead.
 */
export const detectDuplicates = consumer({
  name: 'detect-duplicates',
  on: [leadCreated, leadUpdated, leadRestored],
  async handle(events, { tx }: { tx: Tx }) {
    const leadIds = [...new Set(events.filter(concernsIdentity).map(({ target }) => target.id))];
    await pairLeads(tx, leadIds, { mayReopen: true });
  },
});

type Event = Received<typeof leadCreated | typeof leadUpdated | typeof leadRestored>;

const identityFields = ['email', 'phone', 'firstName', 'lastName'];

function concernsIdentity({ name, data }: Event): boolean {
  if (name !== 'lead.updated') return true;
  const { changes } = data as { changes: object };
  return Object.keys(changes).some((field) => identityFields.includes(field));
}
