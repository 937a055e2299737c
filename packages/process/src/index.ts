// Process basics for every program: settings, logs, metrics, health, trace context and graceful shutdown.
export { type Breaker, type BreakerState, createBreaker, type TripRule } from './breaker.ts';
export { processSettings, readConfig, storeSettings } from './config.ts';
export { createHealth, type Health } from './health.ts';
export { createLog, type Log } from './log.ts';
export { createMetrics, delayBuckets, type Metrics, readEvery } from './metrics.ts';
export { outgoingGuard } from './outgoing-guard.ts';
export { createRequestRate, type RequestRate } from './request-rate.ts';
export { hasLengthOfKey, isEncryptionKey, secretSetting } from './secret-setting.ts';
export { createServerDrain, type ServerDrain } from './server-drain.ts';
export { createShares, type Shares, ShareTimeoutError } from './shares.ts';
export { onShutdown, type ShutdownStep, shutdownLimits } from './shutdown.ts';
export {
  endSpan,
  recordSpansWith,
  recordsSpans,
  type SpanEnd,
  type SpanStart,
  startSpan,
  startTrace,
  withSpan,
} from './span.ts';
export { currentTrace, newTrace, randomHex, type Trace, traceparentOf, withTrace } from './trace.ts';
export { inTurns } from './turns.ts';
