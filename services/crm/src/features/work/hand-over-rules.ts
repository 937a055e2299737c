import { escalationRuleUpdated } from '@tandem/crm-contract';
import { diff } from '@tandem/service';
import { asRule } from '../tasks/escalation.ts';
import type { Inside, Leaving } from './hand-over-calendar.ts';

/**
 * Gives the escalation rules whose target is a user who left to the successor. Without one the rules are deactivated, and
 * the event says why: rules with an inactive target escalate nothing.
 */
export async function handOverRules({ tx, emit }: Inside, { userId, successorId }: Leaving): Promise<void> {
  const where = { targetUserId: userId, ...(successorId === null && { active: true }) };
  const found = await tx.escalationRule.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } });
  for (const { id } of found) {
    const before = await tx.escalationRule.lockFirst({ where: { id, ...where } });
    if (!before) continue;
    const change = successorId === null ? { active: false } : { targetUserId: successorId };
    const data = { ...change, version: { increment: 1 } };
    const [row] = await tx.escalationRule.updateManyAndReturn({ where: { id }, data });
    if (!row) continue;
    const [rule, updated] = [asRule(before), asRule(row)];
    const { audit } = diff(rule, { active: updated.active, target: updated.target });
    const reason = successorId === null ? 'The target has left, and has no successor' : 'The target has left';
    emit(escalationRuleUpdated, { data: { ruleId: id, reason }, record: updated, changes: audit });
  }
}
