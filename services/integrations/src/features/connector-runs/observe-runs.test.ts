import { createMetrics } from '@tandem/process';
import { measureRuns, observeRun } from './observe-runs.ts';

const run = {
  ...{ id: 9, configId: 5, trigger: 'schedule', attempts: 2, error: 'credentials_rejected' },
  config: { connectorKey: 'hubspot' },
};

/** The observer with metrics and a log of its own. */
function observed() {
  const metrics = createMetrics('test');
  const lines: unknown[][] = [];
  const write = (level: string) => (message: string, about: object) => void lines.push([level, message, about]);
  measureRuns(metrics, { info: write('info'), warn: write('warn') } as never);
  const countOf = async (labels: string) =>
    new RegExp(`^tandem_connector_runs_total\\{${labels},service="test"\\} (\\d+)$`, 'm').exec(
      await metrics.text(),
    )?.[1];
  return { lines, countOf };
}

it('counts runs by connector, cause and outcome, from zero on', async () => {
  const { countOf } = observed();
  const ofHubspot = (outcome: string) => countOf(`connector="hubspot",trigger="schedule",outcome="${outcome}"`);
  expect([await ofHubspot('failed'), await ofHubspot('cancelled')]).toEqual(['0', '0']);
  expect(await countOf('connector="rest",trigger="event",outcome="waiting"')).toBe('0');
  observeRun(run, 'failed');
  observeRun(run, 'failed');
  observeRun({ ...run, error: null }, 'succeeded');
  expect([await ofHubspot('failed'), await ofHubspot('succeeded'), await ofHubspot('waiting')]).toEqual([
    '2',
    '1',
    '0',
  ]);
});

it('logs failed runs as warnings, and attempts that are repeated as information', () => {
  const { lines } = observed();
  const about = {
    connector: 'hubspot',
    trigger: 'schedule',
    error: 'credentials_rejected',
    runId: 9,
    configId: 5,
    attempts: 2,
  };
  observeRun(run, 'waiting');
  observeRun(run, 'failed');
  observeRun({ ...run, error: null }, 'succeeded');
  observeRun(run, 'cancelled');
  expect(lines).toEqual([
    ['info', 'attempt of a connector run failed', about],
    ['warn', 'connector run failed', about],
  ]);
});
