import type { messages } from '@tandem/campaign-contract';
import type { Handler } from '../../handler.ts';
import { asMessage } from './message.ts';

export const listMessages: Handler<typeof messages.listMessages> = async ({ query, tx, list }) => {
  const { leadId, campaignId, workflowId, status } = query;
  const where = {
    ...(leadId !== undefined && { leadId }),
    ...(campaignId !== undefined && { campaignId }),
    ...(workflowId !== undefined && { workflowId }),
    ...(status && { status }),
  };
  const page = await list({ model: tx.message, where });
  return { ...page, items: page.items.map(asMessage) };
};
