import { type teams, teamUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { checkParent, lockHierarchy } from './hierarchy.ts';
import { checkLead } from './lead.ts';
import { asTeam, lockTeam, nameTaken } from './team.ts';

export const updateTeam: Handler<typeof teams.updateTeam> = async ({ params, body, tx, emit, ifMatch }) => {
  if (body.parentTeamId) await lockHierarchy(tx);
  const before = await lockTeam(tx, params.id);
  ifMatch(before);
  const { isEmpty, values, audit } = diff(before, body);
  if (isEmpty) return asTeam(tx, before);
  await checkLead(
    tx,
    values.leadId,
    async (userId) => (await tx.teamMember.count({ where: { teamId: before.id, userId } })) > 0,
  );
  await checkParent(tx, values.parentTeamId, before.id);
  const [row] = await tx.team
    .updateManyAndReturn({ where: { id: before.id }, data: { ...values, version: { increment: 1 } } })
    .catch((error: unknown) => {
      throw nameTaken(error);
    });
  if (!row) throw fail('not_found');
  const team = await asTeam(tx, row);
  emit(teamUpdated, { data: { teamId: team.id, fields: Object.keys(values) }, record: team, changes: audit });
  return team;
};
