import type { Team } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Team as TeamRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type TeamRecord = z.output<typeof Team>;

/** Rows as the contract shows them. Members are counted, so the number is right whoever came or went. */
export async function asTeams(tx: Tx, rows: readonly TeamRow[]): Promise<TeamRecord[]> {
  if (!rows.length) return [];
  const counts = await tx.sql<{ teamId: number; members: number }>`
    SELECT team_id AS "teamId", count(*) AS members FROM team_member
    WHERE team_id = ANY(${rows.map(({ id }) => id)}::bigint[]) GROUP BY team_id`;
  const byTeam = new Map(counts.map(({ teamId, members }) => [teamId, members]));
  return rows.map((row) => ({ ...row, memberCount: byTeam.get(row.id) ?? 0 }));
}

/** One row as the contract shows it. */
export async function asTeam(tx: Tx, row: TeamRow): Promise<TeamRecord> {
  const [team] = await asTeams(tx, [row]);
  return team as TeamRecord;
}

/** The team that a path names. */
export async function readTeam(tx: Tx, id: number): Promise<TeamRow> {
  const row = await tx.team.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** The same under lock. */
export async function lockTeam(tx: Tx, id: number): Promise<TeamRow> {
  await tx.sql`SELECT id FROM team WHERE id = ${id} FOR UPDATE`;
  return readTeam(tx, id);
}

/** The refusal for a name that another team has; any other error as it is. */
export function nameTaken(error: unknown): unknown {
  return isTaken(error) ? fail('name_taken', [{ field: 'name', message: 'Another team has this name' }]) : error;
}
