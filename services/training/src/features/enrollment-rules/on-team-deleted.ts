import { type ConsumerContext, consumer } from '@tandem/events';
import { roleDeleted, teamDeleted } from '@tandem/identity-contract';
import { enrollmentRuleUpdated } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { dataOf, writeRule } from './enrollment-rule.ts';

/**
 * Removes deleted teams and roles from rules, in both environments. A rule whose only team or role was deleted is disabled,
 * because an empty list would match everybody.
 */
export const followTeamsAndRoles = consumer({
  name: 'follow-teams-and-roles',
  on: [teamDeleted, roleDeleted],
  everyEnvironment: true,
  async handle(events, { tx, emit }: ConsumerContext<Tx>) {
    const teams = new Set(events.flatMap((event) => (event.name === 'team.deleted' ? [event.data.teamId] : [])));
    const roles = new Set(events.flatMap((event) => (event.name === 'role.deleted' ? [event.data.roleId] : [])));
    const rows = await tx.enrollmentRule.findMany({ where: { learnerType: 'user' }, orderBy: { id: 'asc' } });
    for (const { id } of rows) {
      const row = await tx.enrollmentRule.lockFirst({ where: { id } });
      if (!row) continue;
      const teamIds = row.teamIds.filter((one) => !teams.has(one));
      const roleIds = row.roleIds.filter((one) => !roles.has(one));
      const isChanged = teamIds.length < row.teamIds.length || roleIds.length < row.roleIds.length;
      if (!isChanged) continue;
      const isEmptied = (!teamIds.length && row.teamIds.length > 0) || (!roleIds.length && row.roleIds.length > 0);
      const rule = await writeRule(tx, id, {
        teamIds,
        roleIds,
        ...(isEmptied && { active: false, conditionsLost: true }),
      });
      emit(enrollmentRuleUpdated, {
        data: dataOf(rule),
        record: rule,
        changes: isEmptied ? { active: { from: row.active, to: false } } : {},
      });
    }
  },
});
