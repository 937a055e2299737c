import type { sharing } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { downloadSharedCoMarketing } from './download-shared-co-marketing.ts';
import { followShareDownload } from './follow-share-download.ts';
import { getSharedCoMarketing } from './get-shared-co-marketing.ts';
import { showSharePage } from './show-share-page.ts';

export const sharingHandlers = (tools: Tools) =>
  ({
    getSharedCoMarketing,
    downloadSharedCoMarketing: downloadSharedCoMarketing(tools),
    showSharePage: showSharePage(tools),
    followShareDownload: followShareDownload(tools),
  }) satisfies Handlers<typeof sharing, Tx>;
