import { Campaign, type NodeType } from '@tandem/campaign-contract';
import type { FieldError } from '@tandem/contract';
import type { Tx } from '../../handler.ts';
import type { CampaignRecord } from './campaign.ts';

const messageNodes: readonly NodeType[] = ['email', 'sms'];

const columns = Campaign.pick({ type: true, status: true });

/** The campaign of a sequence, which does not change until the end of the transaction. */
export interface HeldCampaign extends Pick<CampaignRecord, 'type' | 'status'> {
  id: number;
  launch: number;
  isRunning: boolean;
}

/**
 * Holds the campaign of a sequence, also one that the caller cannot read, so that it is not launched meanwhile without the
 * sequence. Call it before the sequence is locked: operations of campaigns lock their sequences in this order.
 */
export async function holdCampaignOf(tx: Tx, workflowId: number): Promise<HeldCampaign | undefined> {
  const [row] = await tx.sql<HeldCampaign>`SELECT id, type, status, launch,
      status = 'active' AND (start_at IS NULL OR start_at <= now()) AS "isRunning"
    FROM campaign WHERE id = (SELECT campaign_id FROM workflow WHERE id = ${workflowId}) AND deleted_at IS NULL
    FOR SHARE`;
  return row && { ...row, ...columns.parse(row) };
}

type Node = { nodeId: string; type: NodeType };

/** The message nodes of a channel that a campaign of this type does not have. */
export function foreignChannels<N extends Node>(type: CampaignRecord['type'], nodes: readonly N[]): N[] {
  if (type === 'mixed') return [];
  return nodes.filter((node) => messageNodes.includes(node.type) && node.type !== type);
}

/** The errors of a sequence that gets these nodes while its campaign is active: activation refuses the same ones. */
export function channelErrors(campaign: HeldCampaign | undefined, nodes: readonly Node[]): FieldError[] {
  if (campaign?.status !== 'active') return [];
  const { type } = campaign;
  return foreignChannels(type, nodes).map((node) => ({
    field: `nodes.${node.nodeId}`,
    message: `An active campaign of the type ${type} sends no ${node.type}; remove the node, or pause the campaign and change its type to mixed`,
  }));
}
