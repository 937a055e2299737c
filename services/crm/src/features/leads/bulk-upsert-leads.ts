import { actingUserId } from '@tandem/caller';
import { type FieldError, idInText } from '@tandem/contract';
import { bulkLeads } from '@tandem/crm-contract';
import { bulkItemOperation, fail } from '@tandem/service';
import type { z } from 'zod';
import type { Peers, Tx } from '../../handler.ts';
import { checkReferences } from './bulk-items.ts';
import { changeLead } from './change-lead.ts';
import { insertLead } from './create-lead.ts';
import { lockExternalIds, lockKeys } from './external-id.ts';
import { lockLead } from './lead.ts';
import type { NewLead } from './new-lead.ts';

type Body = z.output<typeof bulkLeads.bulkUpsertLeads.body>;
type Item = Body['items'][number];

/** The leads that have the keys of the request when it has locked them. */
type Holders = Map<string, number[]>;

export const bulkUpsertLeads = (peers: Peers) =>
  bulkItemOperation({
    row: bulkLeads.bulkUpsertLeads,
    async check(context) {
      const { body } = context;
      const missing = body.items.flatMap((item, index) =>
        keyOf(body, item)
          ? []
          : [{ field: `items.${index}.${body.key}`, message: 'Is required, because it is the key' }],
      );
      if (missing.length) throw fail('validation_failed', missing);
      return checkReferences(peers, context);
    },
    async prepare({ tx, body }: { tx: Tx; body: Body }) {
      const keys = body.items.map((item) => keyOf(body, item) as string);
      // Locked also without a lead, so that two requests with the same new key create one lead.
      if (body.key === 'email') await lockKeys(tx, 'lead email', keys);
      await lockExternalIds(
        tx,
        body.items.map(({ externalId }) => externalId),
      );
      return { holders: await lockHolders(tx, body.key, keys), seen: new Set<string>() };
    },
    async write({ tx, emit, caller, item, body, found: assignees, prepared: { holders, seen } }) {
      const key = keyOf(body, item) as string;
      if (seen.has(key)) throw fail('duplicate_in_request', [{ field: body.key, message: 'Must occur once' }]);
      seen.add(key);
      const [id, ...others] = holders.get(key) ?? [];
      const assignee = assignees.get(item.assignedTo ?? 0);
      if (id === undefined) {
        const lead = await insertLead({ tx, emit, caller }, newLead(item), assignee);
        return { id: lead.id, outcome: 'created' as const };
      }
      if (others.length) {
        const message = `Several leads have it: ${[id, ...others].map((one) => idInText('lead', one)).join(', ')}`;
        throw fail('key_ambiguous', [{ field: body.key, message }]);
      }
      const lead = await lockLead(tx, id);
      const updated = await changeLead({ tx, emit }, { lead, change: item, assignee, byUserId: actingUserId(caller) });
      return { id, outcome: updated.version === lead.version ? ('unchanged' as const) : ('updated' as const) };
    },
  });

function keyOf({ key }: Body, item: Item): string | undefined {
  return (key === 'email' ? item.email?.toLowerCase() : item.externalId) || undefined;
}

/** Checks an item that no lead has the key of: it needs all fields of a new lead. */
function newLead(item: Item): NewLead {
  const required = ['email', 'firstName', 'lastName'] as const;
  const errors: FieldError[] = required.flatMap((field) =>
    item[field] === undefined ? [{ field, message: 'Is required, because no lead has the key yet' }] : [],
  );
  if (errors.length) throw fail('validation_failed', errors);
  return item as NewLead;
}

// A few leads in an error are enough; an address can have thousands.
const holdersMax = 5;
const holdersReadMax = 10_000;

/** Locks the leads that have the keys and that the caller can access, in the order of their ids. */
async function lockHolders(tx: Tx, key: Body['key'], keys: string[]): Promise<Holders> {
  const ids = (await findHolders(tx, key, keys)).map(({ id }) => id);
  const rows = await tx.lead.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const accessible = rows.map(({ id }) => id);
  if (!accessible.length) return new Map();
  await tx.sql`SELECT id FROM lead WHERE id = ANY(${accessible}::bigint[]) ORDER BY id FOR NO KEY UPDATE`;
  // Read again, because a lead can lose its key before it is locked.
  const held = (await findHolders(tx, key, keys)).filter(({ id }) => accessible.includes(id));
  const byKey = Map.groupBy(held, (one) => one.key);
  return new Map([...byKey].map(([one, found]) => [one, found.slice(0, holdersMax).map(({ id }) => id)]));
}

function findHolders(tx: Tx, key: Body['key'], keys: string[]): Promise<{ id: number; key: string }[]> {
  return key === 'email'
    ? tx.sql`SELECT id, email_key AS key FROM lead
        WHERE email_key = ANY(${keys}::text[]) AND deleted_at IS NULL ORDER BY id LIMIT ${holdersReadMax}`
    : tx.sql`SELECT id, external_id AS key FROM lead
        WHERE external_id = ANY(${keys}::text[]) AND deleted_at IS NULL ORDER BY id LIMIT ${holdersReadMax}`;
}
