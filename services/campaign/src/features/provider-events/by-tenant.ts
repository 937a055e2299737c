import type { campaignAutoPaused, messageEngaged, suppressionAdded } from '@tandem/campaign-contract';
import { ApiError, type InTenant } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { applyReports, type ReportTools } from './apply-reports.ts';
import type { MailReport } from './report.ts';

type ReportEvents = typeof messageEngaged | typeof suppressionAdded | typeof campaignAutoPaused;

/** Applies reports, each within the tenant of its message; returns how many there are. */
export async function applyByTenant(
  inTenant: InTenant<Tx, ReportEvents>,
  tools: ReportTools,
  reports: readonly MailReport[],
): Promise<number> {
  const byTenant = Map.groupBy(reports, ({ message: { tenantId, environment } }) => `${tenantId}/${environment}`);
  for (const ofTenant of byTenant.values()) {
    const { tenantId, environment } = (ofTenant[0] as MailReport).message;
    await ifActive(inTenant({ tenantId, environment }, (inside) => applyReports(inside, tools, ofTenant)));
  }
  return reports.length;
}

/** A tenant that is closed gets no reports; its provider must not repeat them. */
export async function ifActive(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
  });
}
