import { pageVisited } from '@tandem/campaign-contract';
import type { Emit, Schedule } from '@tandem/events';
import type { LandingPage as LandingPageRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { urlOf } from '../landing-pages/landing-page.ts';
import { ownInsertIds } from '../tracking/engage.ts';
import { recordDeed } from '../tracking/record-deed.ts';
import type { Scope, Visitor } from './visitor.ts';

interface Inside {
  tx: Tx;
  emit: Emit<typeof pageVisited>;
  schedule: Schedule;
}

/**
 * Records a visit of a page, for the lead of the message if a link of the message led here, and tells analytics.
 * @returns the lead; null for a visitor who is not known
 */
export async function recordVisit(
  { tx, emit, schedule }: Inside,
  tools: Pick<Tools, 'ids' | 'publicUrl' | 'tracking'>,
  { page, scope, visitor }: { page: LandingPageRow; scope: Scope; visitor: Visitor },
): Promise<number | null> {
  const link = readLink(tools, scope, visitor.token);
  const message =
    link && (await tx.message.findFirst({ where: { id: link.messageId }, select: { id: true, leadId: true } }));
  const visit = {
    leadId: message?.leadId ?? null,
    at: new Date(),
    // Scanners that behave like browsers follow links right after the message was sent.
    automated: visitor.isSoftware || (link?.automated ?? false),
    url: urlOf(page, tools),
  };
  const id = await recordDeed(
    { tx, schedule },
    { type: 'page_visit', messageId: message?.id ?? null, campaignId: page.campaignId, ...visit },
  );
  emit(pageVisited, {
    data: {
      ...visit,
      message: message ? tools.ids.encode('message', scope.tenantId, message.id) : null,
      insertId: `${ownInsertIds}${id}`,
    },
    record: { id: page.id },
  });
  return visit.leadId;
}

/** The message whose link led to the page. A token of another tenant or environment has no effect. */
function readLink({ tracking }: Pick<Tools, 'tracking'>, scope: Scope, token: string | undefined) {
  const found = token === undefined ? undefined : tracking.readVisit(token);
  return found?.tenantId === scope.tenantId && found.environment === scope.environment ? found : undefined;
}
