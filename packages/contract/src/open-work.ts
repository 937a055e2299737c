import { z } from 'zod';
import { id } from './id.ts';
import type { Operation, Operations, Row } from './operation.ts';

/**
 * The kinds of work that are handed over when a user leaves, with the noun for messages and the permission to write
 * them.
 */
export const workKinds = {
  leads: { noun: 'open leads', permission: 'leads:write' },
  opportunities: { noun: 'open opportunities', permission: 'opportunities:write' },
  accounts: { noun: 'accounts', permission: 'accounts:write' },
  tasks: { noun: 'open tasks', permission: 'tasks:write' },
  campaigns: { noun: 'open campaigns', permission: 'campaigns:write' },
  workflows: { noun: 'workflows that are not archived', permission: 'workflows:write' },
  landingPages: { noun: 'landing pages that are not archived', permission: 'campaigns:write' },
} as const satisfies Record<string, { noun: string; permission: `${string}:write` }>;

type WorkKind = keyof typeof workKinds;

/** The kinds that a service of the previous release does not count. */
type RecentKind = 'accounts';

function isRecent(kind: WorkKind): kind is RecentKind {
  return kind === 'accounts';
}

/** The numbers of a user's open records, by kind. */
export type OpenWork = Partial<Record<WorkKind, number>>;

/** The path of the internal operation that counts the open work of a user in one service. */
const openWorkPath = '/internal/work/count';

/**
 * The internal operation of a service that counts the open records of a user, for identity, which requires a successor
 * for them when the user leaves. `ownedWork` of `@tandem/service` has its handler.
 * @param kinds the kinds of work that the service stores
 */
export function countsOpenWork<const Kind extends WorkKind>(kinds: readonly [Kind, ...Kind[]]) {
  const count = z.int().nonnegative();
  const counts = Object.fromEntries(kinds.map((kind) => [kind, isRecent(kind) ? count.optional() : count]));
  return {
    method: 'POST',
    path: openWorkPath,
    audience: 'internal',
    summary: 'Count the open records that are assigned to a user',
    body: z.object({ userId: id('user') }),
    reply: z.object(counts as { [K in Kind]: K extends RecentKind ? z.ZodOptional<z.ZodInt> : z.ZodInt }),
    message: 'Open work counted',
    emits: [],
  } as const satisfies Row;
}

/** The operation of a contract that counts open work; undefined for a service that stores none. */
export function openWorkOperation(operations: Operations): Operation | undefined {
  return Object.values(operations).find(({ path }) => path === openWorkPath);
}
