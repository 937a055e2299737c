import type { tracking } from '@tandem/campaign-contract';
import type { Log } from '@tandem/process';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { type RecordTouch, touchRecorder } from './touch-recorder.ts';
import { trackClick } from './track-click.ts';
import { trackOpen } from './track-open.ts';

export function trackingHandlers(tools: Pick<Tools, 'ids' | 'tracking'>, log: Log) {
  const store = touchRecorder(tools);
  // Readers get the image and the page also while nothing can be stored.
  const record: RecordTouch = (...touch) =>
    store(...touch).catch((error: unknown) => {
      log.warn('an open or click was not recorded', { error });
      return undefined;
    });
  return { trackOpen: trackOpen(tools, record), trackClick: trackClick(tools, record) } satisfies Handlers<
    typeof tracking,
    Tx
  >;
}
