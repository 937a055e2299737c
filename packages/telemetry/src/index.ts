// Sends the spans of a process to an OpenTelemetry collector, when one is configured.
export { startTelemetry, type Telemetry } from './telemetry.ts';
