import type { dataExports } from '@tandem/analytics-contract';
import type { IdCodec } from '@tandem/ids';
import { createLinkTokens, createSeal } from '@tandem/sealed';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import type { AnalyticsSettings } from '../../settings.ts';
import { cancelExport } from './cancel-export.ts';
import { createExport } from './create-export.ts';
import { downloadExportFile } from './download-export-file.ts';
import type { ExportLink, LinkTo } from './export.ts';
import { getExport } from './get-export.ts';
import { listExports } from './list-exports.ts';
import { removeExportRows } from './remove-export-rows.job.ts';
import { runExport } from './run-export.job.ts';
import type { ExportedReports } from './source.ts';
import { sourcesOf } from './sources.ts';

interface Given {
  peers: Peers;
  ids: IdCodec;
  settings: AnalyticsSettings;
  reports: ExportedReports;
}

/** The handlers and the jobs of exports. */
export function exportsOf({ peers, ids, settings, reports }: Given) {
  const links = createLinkTokens<ExportLink>(createSeal(settings.ENCRYPTION_KEY), 'analytics export');
  const linkTo: LinkTo = (link, expiresAt) =>
    `${settings.PUBLIC_URL}/v1/public/analytics/exports/${links.issue(link, expiresAt)}`;
  const sources = sourcesOf(peers, reports.source);
  const tools = { sources, ids, linkTo, links, identity: peers.identity, readReport: reports.read };
  return {
    sources,
    linkTo,
    handlers: {
      createExport: createExport(tools),
      listExports: listExports(tools),
      getExport: getExport(tools),
      cancelExport: cancelExport(tools),
      downloadExportFile: downloadExportFile(tools),
    } satisfies Handlers<typeof dataExports, Tx>,
    jobs: [runExport(tools), removeExportRows],
  };
}
