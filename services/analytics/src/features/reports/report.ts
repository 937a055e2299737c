import { Report } from '@tandem/analytics-contract';
import { actingUserId, type Caller, onlyTeamOf } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { allows, unknownId } from '@tandem/contract';
import { fail, failField, storedObject } from '@tandem/service';
import type { Report as ReportRow } from '../../generated/client.ts';
import type { Peers, Tx } from '../../handler.ts';

const columns = Report.pick({ type: true, visibility: true }).extend({ query: storedObject });

/** Converts a row to the contract's `Report`. */
export function asReport(row: ReportRow) {
  return { ...row, ...columns.parse(row) };
}

/** The user to whom reports belong that the caller creates. */
export function ownerOf(caller: Caller): number {
  const userId = actingUserId(caller);
  if (userId === undefined) throw fail('forbidden');
  return userId;
}

/** The reports that a caller sees: their own, those of their teams, and those of the tenant. */
export function visibleTo(caller: Caller) {
  const ownerId = actingUserId(caller);
  return {
    OR: [
      { visibility: 'tenant' },
      { visibility: 'team', teamId: { in: [...(caller.teamIds ?? [])] } },
      ...(ownerId === undefined ? [] : [{ ownerId }]),
    ],
  };
}

type Among = Partial<ReturnType<typeof visibleTo>>;

/** The reports whose settings a caller reads: those that they see, and all with the permission to end them. */
export function knownTo(caller: Caller): Among {
  return managesReports(caller) ? {} : visibleTo(caller);
}

/** @param among which reports are found, by default those that the caller sees */
export async function findReport(
  tx: Tx,
  id: number,
  caller: Caller,
  among: Among = visibleTo(caller),
): Promise<ReportRow> {
  const row = await tx.report.findFirst({ where: { id, ...among } });
  if (!row) throw fail('not_found');
  return row;
}

/** @param among as for `findReport` */
export async function lockReport(
  tx: Tx,
  id: number,
  caller: Caller,
  among: Among = visibleTo(caller),
): Promise<ReportRow> {
  const row = await tx.report.lockFirst({ where: { id, ...among } });
  if (!row) throw fail('not_found');
  return row;
}

/** Reports of users who left have to be found and ended by somebody else. */
export function managesReports({ permissions }: Caller): boolean {
  return allows(permissions, 'analytics:manage') === 'all';
}

/** Schedules send what the owner may read, so nobody else changes what they send, and to whom. */
export function checkOwner({ ownerId }: { ownerId: number }, caller: Caller): void {
  if (ownerId !== actingUserId(caller)) throw forbidden('Only the owner of the report can change it');
}

/** Only the owner changes a schedule, but those who may delete it can also pause it. */
export function checkMayChangeSchedule(
  report: { ownerId: number },
  body: Record<string, unknown>,
  caller: Caller,
): void {
  const isPause = body['active'] === false && Object.keys(body).length === 1;
  if (isPause && managesReports(caller)) return;
  checkOwner(report, caller);
}

export function checkMayDelete({ ownerId }: { ownerId: number }, caller: Caller): void {
  if (ownerId === actingUserId(caller) || managesReports(caller)) return;
  throw forbidden('Requires the owner of the report, or the permission analytics:manage');
}

function forbidden(message: string) {
  return fail('forbidden', [{ field: 'id', message }]);
}

/** Checks that a team exists. */
export async function checkTeam(
  identity: Peers['identity'],
  teamId: number | null | undefined,
  as: Parameters<Peers['identity']['findTeam']>[0]['as'],
): Promise<void> {
  if (teamId == null) return;
  if (!(await orAbsent(identity.findTeam({ params: { id: teamId }, as }))))
    throw failField('teamId', unknownId('team'));
}

/**
 * The team of a report: that of the request or the only team of the caller with the visibility `team`, else none. Only owners in the
 * team share a report with it; `followMembers` makes it private when they leave.
 */
export function teamFor(visibility: string, teamId: number | null | undefined, caller: Caller): number | null {
  if (visibility !== 'team') return null;
  const team = teamId ?? onlyTeamOf(caller);
  if (team === null) throw failField('teamId', 'Is required for the visibility team, unless you are in one team');
  if (!caller.teamIds?.includes(team)) throw failField('teamId', 'Must be one of your teams');
  return team;
}
