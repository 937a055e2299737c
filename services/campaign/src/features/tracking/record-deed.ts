import type { Schedule } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { react } from '../engine/react.ts';

/** What somebody did on a page or in a form. */
export interface VisitorDeed {
  type: 'page_visit' | 'form_submission';
  leadId: number | null;
  /** The message whose link led there. */
  messageId?: number | null;
  campaignId: number | null;
  at: Date;
  automated: boolean;
  url: string | null;
}

/**
 * Records what somebody did, and lets all executions of the lead react to what a person did.
 * @returns the id of the record
 */
export async function recordDeed({ tx, schedule }: { tx: Tx; schedule: Schedule }, deed: VisitorDeed): Promise<number> {
  const { id } = await tx.engagement.create({ data: deed, select: { id: true } });
  const { type, leadId, automated } = deed;
  if (leadId !== null && !automated) await react({ tx, schedule }, [{ type, leadId, executionId: null }]);
  return id;
}
