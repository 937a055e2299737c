-- The trace that scheduled a job (W3C Trace Context), so that its run belongs to the same trace.
ALTER TABLE platform.job ADD COLUMN traceparent text;
