import { actingUserId, type Caller } from '@tandem/caller';
import { allows, type FieldError, type OpenWork, unknownId, workKinds } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import {
  type apiKeyHandedOver,
  type notificationCreated,
  type teamUpdated,
  userActivated,
  userDeactivated,
  type userLoggedOut,
  userSuspended,
  type userUpdated,
} from '@tandem/identity-contract';
import { asService, fail, failField } from '@tandem/service';
import { nameOf, type Tools, type Tx } from '../../handler.ts';
import { checkRank } from '../../permissions.ts';
import { countKeys, handOverKeys } from '../api-keys/hand-over-keys.ts';
import { endSessions } from '../auth/session.ts';
import { notify } from '../notifications/notify.ts';
import { notifyOfConfigurer } from '../sso/notify-of-configurer.ts';
import { endLead } from '../teams/lead.ts';
import { lockWithReports, moveReports } from './manager.ts';
import { notifyOfKeys } from './notify-of-keys.ts';
import { checkOwnerRemains, checkTransition, lockUser, type UserRecord, type UserStatus } from './user.ts';

type LockedUser = Awaited<ReturnType<typeof lockUser>>;

/** A change of status, as requested. */
interface StatusChange {
  status: UserStatus;
  reason?: string | null;
}

type StatusEvents =
  | typeof userActivated
  | typeof userSuspended
  | typeof userUpdated
  | typeof userDeactivated
  | typeof userLoggedOut
  | typeof notificationCreated
  | typeof teamUpdated
  | typeof apiKeyHandedOver;

/** Whether a user who gets this status may no longer sign in, so that their work needs somebody else. */
export function isLeaving(status: UserStatus | undefined): status is 'suspended' | 'deactivated' {
  return status === 'suspended' || status === 'deactivated';
}

/**
 * The open live work of a user, counted by the services that keep it; undefined when a successor takes it over. Work in
 * the sandbox is test data and keeps nobody.
 * @throws ApiError 503 while one of them is not available
 */
export async function openWorkOf(
  { openWork }: Pick<Tools, 'openWork'>,
  caller: Caller,
  { userId, reassignTo }: { userId: number; reassignTo?: number | null | undefined },
): Promise<OpenWork | undefined> {
  if (reassignTo) return undefined;
  const as = { ...asService(caller), environment: 'live' as const };
  const counts = await Promise.all(openWork.map((count) => count({ body: { userId }, as }))).catch(() => {
    throw fail('unavailable', undefined, { retryAfter: 1 });
  });
  return Object.assign({}, ...counts);
}

/** Rejects callers who may not write all records that move to a successor: they would choose who gets to see them. */
export function checkMayHandOver(caller: Caller): void {
  const needed = new Set(Object.values(workKinds).map(({ permission }) => permission));
  const missing = [...needed].filter((permission) => allows(caller.permissions, permission) !== 'all');
  if (missing.length)
    throw fail('forbidden', [{ field: 'reassignTo', message: `Requires ${missing.join(', ')} for all records` }]);
}

/**
 * Locks a user, the successor and those who report to the user, in the order of their ids: two users may be each other's
 * successors. Called under `lockReporting`.
 */
export async function lockWithSuccessor(
  tx: Tx,
  id: number,
  reassignTo: number | null | undefined,
): Promise<{ user: LockedUser; successor: LockedUser | undefined }> {
  const known = await lockWithReports(tx, id, reassignTo ? [reassignTo] : []);
  if (!reassignTo) return { user: await lockUser(tx, { id }), successor: undefined };
  const user = await lockUser(tx, { id });
  if (!known.has(reassignTo)) throw failField('reassignTo', unknownId('user'));
  if (reassignTo === id) throw failField('reassignTo', 'Must be another user');
  const successor = await lockUser(tx, { id: reassignTo });
  if (successor.status !== 'active')
    throw failField('reassignTo', 'The user is not active; send the id of an active user');
  return { user, successor };
}

/**
 * Checks that the caller may change the status of a user, and that no work is left without an owner. Rank comes first:
 * its 403 must not reveal the user's state.
 * @param work the open work of the user; undefined when a successor takes it over
 */
export async function checkStatusChange(
  { tx, caller, user }: { tx: Tx; caller: Caller; user: LockedUser },
  status: UserStatus,
  work: OpenWork | undefined,
): Promise<void> {
  checkRank(caller, user.role.permissions);
  checkTransition(user.status, status);
  if (!isLeaving(status)) return;
  if (user.id === actingUserId(caller) || user.id === caller.userId) throw fail('own_account');
  await checkOwnerRemains(tx, user);
  if (work) await checkNothingLeft(tx, user.id, work);
}

const nouns: [keyof OpenWork | 'apiKeys', string][] = [
  ...Object.entries(workKinds).map(([kind, { noun }]) => [kind as keyof OpenWork, noun] as [keyof OpenWork, string]),
  ['apiKeys', 'active API keys'],
];

async function checkNothingLeft(tx: Tx, userId: number, work: OpenWork): Promise<void> {
  const counts = { ...work, apiKeys: await countKeys(tx, userId) };
  const errors = nouns.flatMap(([field, noun]): FieldError[] => {
    const count = counts[field];
    const remedy = field === 'apiKeys' ? '; GET /v1/api-keys lists them by ownerId and status=active' : '';
    return count ? [{ field, message: `The user has ${count} ${noun}${remedy}` }] : [];
  });
  if (errors.length) throw fail('work_left', errors);
}

/** Emits the event of a status change that is already written, and applies its effects within identity. */
export async function applyStatusChange(
  { tx, emit }: { tx: Tx; emit: Emit<StatusEvents> },
  { before, updated, successor }: { before: LockedUser; updated: UserRecord; successor: LockedUser | undefined },
  { status, reason = null }: StatusChange,
): Promise<void> {
  const common = { record: updated, changes: { status: { from: before.status, to: status } } };
  if (!isLeaving(status)) {
    emit(userActivated, { data: { userId: before.id, reason }, ...common });
    return;
  }
  const event = status === 'suspended' ? userSuspended : userDeactivated;
  emit(event, { data: { userId: before.id, reassignTo: successor?.id ?? null, reason }, ...common });
  await endLead(tx, emit, { userId: before.id });
  await moveReports(tx, emit, { from: updated, to: successor?.id });
  await endSessions(tx, emit, { where: { userId: before.id }, reason: status });
  await notifyOfConfigurer(tx, emit, before);
  if (!successor) return;
  const { moved, left } = await handOverKeys(tx, emit, { from: before, to: successor });
  await notifySuccessor(tx, emit, { from: before, to: successor, keys: moved.length });
  if (left) await notifyOfKeys(tx, emit, before, left);
}

async function notifySuccessor(
  tx: Tx,
  emit: Emit<typeof notificationCreated>,
  { from, to, keys }: { from: LockedUser; to: LockedUser; keys: number },
): Promise<void> {
  await notify(tx, emit, {
    userIds: [to.id],
    title: {
      en: `You take over the work of ${nameOf(from)}`,
      de: `Sie übernehmen die Arbeit von ${nameOf(from)}`,
    },
    body: {
      en: `Their open work${keys ? ` and ${keys} API ${keys === 1 ? 'key' : 'keys'}` : ''} are assigned to you. This can take some minutes.`,
      de: `Die offenen Vorgänge${keys ? ` sowie ${keys} API-Schlüssel` : ''} werden Ihnen zugewiesen. Das kann einige Minuten dauern.`,
    },
    category: 'assignments',
    data: { keys },
  });
}
