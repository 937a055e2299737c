import { unknownId } from '@tandem/contract';
import { teamLevelsMax } from '@tandem/identity-contract';
import { fail, failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';

/**
 * Lets moves of teams of one tenant run one after the other: two of them could each be right and form a cycle together.
 * Called before rows are locked, so that two moves do not wait for each other.
 */
export async function lockHierarchy(tx: Tx): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${'team hierarchy'}, platform.tenant_id()))`;
}

/**
 * Checks the place of a team below another one.
 * @param teamId the team that moves, under `lockHierarchy`; undefined for a new one, which has no teams below it
 * @throws ApiError 422 for an unknown parent, 409 for a cycle or too many levels
 */
export async function checkParent(tx: Tx, parentId: number | null | undefined, teamId?: number): Promise<void> {
  if (!parentId) return;
  // Blocks a concurrent deletion of the parent.
  const [parent] = await tx.sql`SELECT id FROM team WHERE id = ${parentId} FOR KEY SHARE`;
  if (!parent) throw failField('parentTeamId', unknownId('team'));
  const above = await ancestors(tx, parentId);
  if (teamId !== undefined && above.includes(teamId)) throw fail('team_cycle');
  const levelsBelow = teamId === undefined ? 0 : await height(tx, teamId);
  if (above.length + 1 + levelsBelow > teamLevelsMax) throw fail('too_deep');
}

/** The team and those above it. */
async function ancestors(tx: Tx, id: number): Promise<number[]> {
  const rows = await tx.sql<{ id: number }>`
    WITH RECURSIVE above AS (
      SELECT id, parent_team_id FROM team WHERE id = ${id}
      UNION SELECT team.id, team.parent_team_id FROM team JOIN above ON team.id = above.parent_team_id)
    SELECT id FROM above`;
  return rows.map((row) => row.id);
}

/** The number of levels below a team. */
async function height(tx: Tx, id: number): Promise<number> {
  const [row] = await tx.sql<{ levels: number }>`
    WITH RECURSIVE below AS (
      SELECT id, 0 AS level FROM team WHERE id = ${id}
      UNION ALL SELECT team.id, below.level + 1 FROM team JOIN below ON team.parent_team_id = below.id
      WHERE below.level < ${teamLevelsMax}::int)
    SELECT max(level)::int AS levels FROM below`;
  return row?.levels ?? 0;
}
