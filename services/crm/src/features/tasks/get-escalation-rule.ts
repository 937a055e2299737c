import type { escalations } from '@tandem/crm-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asRule } from './escalation.ts';

export const getEscalationRule: Handler<typeof escalations.getEscalationRule> = async ({ params, tx }) => {
  const row = await tx.escalationRule.findFirst({ where: { id: params.id } });
  if (!row) throw fail('not_found');
  return asRule(row);
};
