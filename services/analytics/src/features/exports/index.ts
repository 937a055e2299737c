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
import { sourcesOf } from './sources.ts';

/** The handlers and the jobs of exports. */
export function exportsOf({ peers, ids, settings }: { peers: Peers; ids: IdCodec; settings: AnalyticsSettings }) {
  const links = createLinkTokens<ExportLink>(createSeal(settings.ENCRYPTION_KEY), 'analytics export');
  const linkTo: LinkTo = (link, expiresAt) =>
    `${settings.PUBLIC_URL}/v1/public/analytics/exports/${links.issue(link, expiresAt)}`;
  const sources = sourcesOf(peers);
  const tools = { sources, ids, linkTo, links, identity: peers.identity };
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
