import { bulkLeads } from '@tandem/crm-contract';
import { bulkItemOperation } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { checkReferences } from './bulk-items.ts';
import { insertLead } from './create-lead.ts';
import { lockExternalIds } from './external-id.ts';

export const bulkCreateLeads = (peers: Peers) =>
  bulkItemOperation({
    row: bulkLeads.bulkCreateLeads,
    check: (context) => checkReferences(peers, context),
    prepare: ({ tx, body }: { tx: Tx; body: z.output<typeof bulkLeads.bulkCreateLeads.body> }) =>
      lockExternalIds(
        tx,
        body.items.map(({ externalId }) => externalId),
      ),
    async write({ tx, emit, caller, item, found: assignees }) {
      const { id } = await insertLead({ tx, emit, caller }, item, assignees.get(item.assignedTo ?? 0));
      return { id, outcome: 'created' as const };
    },
  });
