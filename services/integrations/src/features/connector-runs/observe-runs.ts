import { connectorKeys, runTriggers } from '@tandem/integrations-contract';
import { createLog, type Log, type Metrics } from '@tandem/process';

const outcomes = ['succeeded', 'failed', 'waiting', 'cancelled'] as const;
type Outcome = (typeof outcomes)[number];

/** The fields of a run that are logged and counted. */
interface Observed {
  id: number;
  configId: number;
  trigger: string;
  attempts: number;
  error: string | null;
  config: { connectorKey: string };
}

let record = (_run: Observed, _outcome: Outcome) => {};

/** Sets the metrics and the log of the process to which `observeRun` writes. */
export function measureRuns(metrics: Metrics, log: Pick<Log, 'info' | 'warn'> = createLog('integrations')): void {
  const runs = metrics.counter(
    'connector_runs_total',
    'Runs of configs of connectors by what they came to; `waiting` is a failed attempt with another one after it',
    ['connector', 'trigger', 'outcome'],
  );
  // From zero on, so that the first failures are an increase.
  for (const connector of connectorKeys)
    for (const trigger of runTriggers) for (const outcome of outcomes) runs.inc({ connector, trigger, outcome }, 0);
  record = ({ id: runId, configId, trigger, attempts, error, config: { connectorKey: connector } }, outcome) => {
    runs.inc({ connector, trigger, outcome });
    const about = { connector, trigger, error, runId, configId, attempts };
    if (outcome === 'failed') log.warn('connector run failed', about);
    if (outcome === 'waiting') log.info('attempt of a connector run failed', about);
  };
}

/** Counts what a run came to, and logs failures. The error of a run is a code, without content of the connected system. */
export function observeRun(run: Observed, outcome: Outcome): void {
  record(run, outcome);
}
