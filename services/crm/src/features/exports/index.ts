import type { jobOperations, recordPages } from '@tandem/contract';
import type { recordExports } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import type { Handlers, JobLink } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import type { CrmSettings } from '../../settings.ts';
import { createExport } from './create-export.ts';
import { downloadExport } from './download-export.ts';
import { exportJobs } from './export.ts';
import { exportRecords } from './export-records.job.ts';
import { readRecordPage } from './read-record-page.ts';
import { accountExport, leadExport, opportunityExport, taskExport } from './targets.ts';

/** The handlers and the job of exports; `getJob` adds the download links. */
export function exportsOf({ peers, ids, settings }: { peers: Peers; ids: IdCodec; settings: CrmSettings }) {
  const links = createLinkTokens<JobLink>(createSeal(settings.ENCRYPTION_KEY), 'export');
  const base = `${settings.PUBLIC_URL.replace(/\/$/, '')}/v1/public/exports/`;
  const targets = [leadExport, accountExport, opportunityExport, taskExport];
  return {
    handlers: {
      createLeadExport: createExport<typeof recordExports.createLeadExport>(leadExport),
      createAccountExport: createExport<typeof recordExports.createAccountExport>(accountExport),
      createOpportunityExport: createExport<typeof recordExports.createOpportunityExport>(opportunityExport),
      createTaskExport: createExport<typeof recordExports.createTaskExport>(taskExport),
      downloadExport: downloadExport({ identity: peers.identity, links, targets }),
      getJob: exportJobs.getJob({ linkTo: (link, expiresAt) => `${base}${links.issue(link, expiresAt)}` }),
      readRecordPage: readRecordPage(peers),
    } satisfies Handlers<typeof recordExports & typeof jobOperations & typeof recordPages, Tx>,
    jobs: [exportRecords(targets, ids)],
  };
}
