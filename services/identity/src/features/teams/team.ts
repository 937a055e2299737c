import type { Team } from '@tandem/identity-contract';
import { fail } from '@tandem/service';
import { isTaken } from '@tandem/tenant-db';
import type { z } from 'zod';
import type { Team as TeamRow } from '../../generated/client.ts';
import type { Tx } from '../../handler.ts';

export type TeamRecord = z.output<typeof Team>;

/** Converts rows to API resources. Members are counted on read, so the number cannot drift. */
export async function asTeams(tx: Tx, rows: readonly TeamRow[]): Promise<TeamRecord[]> {
  if (!rows.length) return [];
  const counts = await tx.sql<{ teamId: number; members: number }>`
    SELECT team_id AS "teamId", count(*) AS members FROM team_member
    WHERE team_id = ANY(${rows.map(({ id }) => id)}::bigint[]) GROUP BY team_id`;
  const byTeam = new Map(counts.map(({ teamId, members }) => [teamId, members]));
  return rows.map((row) => ({ ...row, memberCount: byTeam.get(row.id) ?? 0 }));
}

/** Converts one row to the API resource. */
export async function asTeam(tx: Tx, row: TeamRow): Promise<TeamRecord> {
  const [team] = await asTeams(tx, [row]);
  return team as TeamRecord;
}

/** Loads a team; 404 if there is none. */
export async function readTeam(tx: Tx, id: number): Promise<TeamRow> {
  const row = await tx.team.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return row;
}

/** Like `readTeam`, with a row lock. */
export async function lockTeam(tx: Tx, id: number): Promise<TeamRow> {
  await tx.sql`SELECT id FROM team WHERE id = ${id} FOR UPDATE`;
  return readTeam(tx, id);
}

/** Converts a unique violation to `name_taken`; returns any other error unchanged. */
export function nameTaken(error: unknown): unknown {
  return isTaken(error)
    ? fail('name_taken', [{ field: 'name', message: 'Must be unique; another team has this name' }])
    : error;
}
