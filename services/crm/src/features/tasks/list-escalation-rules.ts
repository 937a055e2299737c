import type { escalations } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { asRule } from './escalation.ts';

export const listEscalationRules: Handler<typeof escalations.listEscalationRules> = async ({ tx, list }) => {
  const page = await list({ model: tx.escalationRule });
  return { ...page, items: page.items.map(asRule) };
};
