import { unknownId } from '@tandem/contract';
import type { Emit } from '@tandem/events';
import { teamUpdated } from '@tandem/identity-contract';
import { failField } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { asTeams } from './team.ts';

/** Rejects a lead who is not an active user among the members. */
export async function checkLead(tx: Tx, leadId: number | null | undefined, isMember: (id: number) => Promise<boolean>) {
  if (!leadId) return;
  const user = await tx.user.findFirst({ where: { id: leadId }, select: { status: true } });
  if (!user) throw failField('leadId', unknownId('user'));
  if (user.status !== 'active') throw failField('leadId', 'The user is not active; send the id of an active user');
  if (!(await isMember(leadId))) throw failField('leadId', 'Must be a member of the team');
}

/** Leaves teams of which a user was the lead without one, because the user left the company or these teams. */
export async function endLead(
  tx: Tx,
  emit: Emit<typeof teamUpdated>,
  { userId, teamIds }: { userId: number; teamIds?: readonly number[] },
): Promise<void> {
  // In id order, like the teams whose members change.
  await tx.sql`SELECT id FROM team WHERE lead_id = ${userId} ORDER BY id FOR NO KEY UPDATE`;
  const rows = await tx.team.updateManyAndReturn({
    where: { leadId: userId, ...(teamIds && { id: { in: [...teamIds] } }) },
    data: { leadId: null, version: { increment: 1 } },
  });
  for (const team of await asTeams(tx, rows))
    emit(teamUpdated, {
      data: { teamId: team.id, fields: ['leadId'] },
      record: team,
      changes: { leadId: { from: userId, to: null } },
    });
}
