-- Calls are partitioned by day, so that retention drops tables instead of deleting millions of rows. Partitions are in a schema of
-- their own, because the service's role gets privileges on every table in `public`.
CREATE SCHEMA "partitions";

-- CreateTable
CREATE TABLE "api_log" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "direction" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "method" TEXT NOT NULL,
    "host" TEXT,
    "path" TEXT NOT NULL,
    "query" TEXT,
    "route" TEXT,
    "status" INTEGER NOT NULL,
    "error_code" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "ip" TEXT,
    "key_id" BIGINT,
    "acting_user_id" BIGINT,
    "request_body" TEXT,
    "request_bytes" INTEGER,
    "response_body" TEXT,
    "response_bytes" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "api_log_pkey" PRIMARY KEY ("tenant_id","environment","id","created_at")
) PARTITION BY RANGE ("created_at");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_created_at_id_idx" ON "api_log"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_direction_created_at_id_idx" ON "api_log"("tenant_id", "environment", "direction", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_key_id_created_at_id_idx" ON "api_log"("tenant_id", "environment", "key_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_acting_user_id_created_at_id_idx" ON "api_log"("tenant_id", "environment", "acting_user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_method_created_at_id_idx" ON "api_log"("tenant_id", "environment", "method", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_path_created_at_id_idx" ON "api_log"("tenant_id", "environment", "path", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_route_created_at_id_idx" ON "api_log"("tenant_id", "environment", "route", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_status_created_at_id_idx" ON "api_log"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "api_log_tenant_id_environment_duration_ms_idx" ON "api_log"("tenant_id", "environment", "duration_ms");

-- CreateIndex
CREATE UNIQUE INDEX "api_log_tenant_id_environment_request_id_created_at_directi_key" ON "api_log"("tenant_id", "environment", "request_id", "created_at", "direction", "sequence");

ALTER TABLE "api_log" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "api_log" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "api_log" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Creates the partitions of the days that begin until so many days from now, and drops those that ended so many days ago.
-- Returns the number of changes.
CREATE FUNCTION public.maintain_api_log_partitions(ahead integer, kept integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  last timestamptz;
  old regclass;
  changes integer := 0;
BEGIN
  -- Instances do this one after the other, and do not wait long for queries of the table.
  PERFORM pg_advisory_xact_lock(hashtextextended('api log partitions', 0));
  SET LOCAL lock_timeout = '2s';
  LOOP
    SELECT max(substring(pg_get_expr(relpartbound, pg_class.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz) INTO last
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'public.api_log'::regclass;
    -- The first one is yesterday's, for calls that arrive late.
    last := coalesce(last, date_trunc('day', now() - interval '1 day', 'UTC'));
    EXIT WHEN last > now() + make_interval(days => ahead);
    EXECUTE format('CREATE TABLE partitions.%I PARTITION OF public.api_log FOR VALUES FROM (%L) TO (%L)',
      'api_log_' || to_char(last AT TIME ZONE 'UTC', 'YYYY_MM_DD'), last, last + interval '24 hours');
    changes := changes + 1;
  END LOOP;
  FOR old IN
    SELECT pg_class.oid FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'public.api_log'::regclass
      AND substring(pg_get_expr(relpartbound, pg_class.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
        <= now() - make_interval(days => kept)
  LOOP
    EXECUTE format('DROP TABLE %s', old);
    changes := changes + 1;
  END LOOP;
  RETURN changes;
END $body$;
REVOKE ALL ON FUNCTION public.maintain_api_log_partitions(integer, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.maintain_api_log_partitions(integer, integer) TO :relay;

SELECT public.maintain_api_log_partitions(3, 30);
