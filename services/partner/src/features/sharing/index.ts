import type { sharing } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { downloadSharedResource } from './download-shared-resource.ts';
import { followShareDownload } from './follow-share-download.ts';
import { getSharedResource } from './get-shared-resource.ts';
import { showSharePage } from './show-share-page.ts';

export const sharingHandlers = (tools: Tools) =>
  ({
    getSharedResource: getSharedResource(tools),
    downloadSharedResource: downloadSharedResource(tools),
    showSharePage: showSharePage(tools),
    followShareDownload: followShareDownload(tools),
  }) satisfies Handlers<typeof sharing, Tx>;
