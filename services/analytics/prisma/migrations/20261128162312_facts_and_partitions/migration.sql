-- Engagement events are partitioned by month. The table of today becomes the partition of all months before the next but one.
-- Partitions are in a schema of their own, because the service's role gets privileges on every table in `public`.
CREATE SCHEMA "partitions";

ALTER TABLE "engagement_event" ADD COLUMN "assigned_to" BIGINT, ADD COLUMN "team_id" BIGINT, ADD COLUMN "is_first" BOOLEAN,
  ADD COLUMN "is_counted" BOOLEAN;
DROP TRIGGER "engagement_event_of_merged_lead" ON "engagement_event";
ALTER TABLE "engagement_event" DROP CONSTRAINT "engagement_event_pkey";
ALTER TABLE "engagement_event" ADD CONSTRAINT "engagement_event_id_timestamp" PRIMARY KEY USING INDEX "engagement_event_id_timestamp";
ALTER SEQUENCE "engagement_event_id_seq" OWNED BY NONE;
-- allow rename: the partitioned table has the same name, and this one is a part of it
ALTER TABLE "engagement_event" RENAME TO "engagement_event_first";
ALTER TABLE "engagement_event_first" SET SCHEMA "partitions";

CREATE TABLE "engagement_event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL DEFAULT nextval('engagement_event_id_seq'),
    "type" TEXT NOT NULL,
    "lead_id" BIGINT,
    "message_id" TEXT,
    "workflow_execution_id" TEXT,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,
    "insert_id" TEXT,
    "properties" JSONB NOT NULL DEFAULT '{}',
    "automated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "merged_from_lead_id" BIGINT,
    "assigned_to" BIGINT,
    "team_id" BIGINT,
    "is_first" BOOLEAN,
    "is_counted" BOOLEAN,

    CONSTRAINT "engagement_event_pkey" PRIMARY KEY ("tenant_id","environment","id","timestamp")
) PARTITION BY RANGE ("timestamp");
ALTER SEQUENCE "engagement_event_id_seq" OWNED BY "engagement_event"."id";

CREATE INDEX "engagement_event_tenant_id_environment_timestamp_id_idx" ON "engagement_event"("tenant_id", "environment", "timestamp", "id");
CREATE INDEX "engagement_event_tenant_id_environment_created_at_id_idx" ON "engagement_event"("tenant_id", "environment", "created_at", "id");
CREATE INDEX "engagement_event_tenant_id_environment_lead_id_timestamp_idx" ON "engagement_event"("tenant_id", "environment", "lead_id", "timestamp");
CREATE INDEX "engagement_event_tenant_id_environment_workflow_execution_i_idx" ON "engagement_event"("tenant_id", "environment", "workflow_execution_id");
CREATE INDEX "engagement_event_tenant_id_environment_type_timestamp_id_idx" ON "engagement_event"("tenant_id", "environment", "type", "timestamp", "id");
CREATE INDEX "engagement_event_merged_from" ON "engagement_event" ("tenant_id", "environment", "merged_from_lead_id")
  WHERE "merged_from_lead_id" IS NOT NULL;

ALTER TABLE "engagement_event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "engagement_event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "engagement_event" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- Creates the partitions of the months that begin until so many months from now. Returns how many it created.
CREATE FUNCTION public.create_engagement_partitions(months integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  last timestamptz;
  name text;
  created integer := 0;
BEGIN
  -- Instances create them one after the other, and do not wait long for queries of the table.
  PERFORM pg_advisory_xact_lock(hashtextextended('engagement partitions', 0));
  SET LOCAL lock_timeout = '2s';
  LOOP
    SELECT max(substring(pg_get_expr(relpartbound, pg_class.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz) INTO last
      FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'public.engagement_event'::regclass;
    EXIT WHEN last > now() + make_interval(months => months);
    name := 'engagement_event_' || to_char(last AT TIME ZONE 'UTC', 'YYYY_MM');
    EXECUTE format('CREATE TABLE partitions.%I PARTITION OF public.engagement_event FOR VALUES FROM (%L) TO (%L)',
      name, last, ((last AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
    created := created + 1;
  END LOOP;
  RETURN created;
END $body$;
REVOKE ALL ON FUNCTION public.create_engagement_partitions(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.create_engagement_partitions(integer) TO :app, :relay;

-- allow code: the bound depends on the newest event
DO $body$
DECLARE
  bound timestamptz;
BEGIN
  SET LOCAL timezone = 'UTC';
  ALTER TABLE partitions.engagement_event_first NO FORCE ROW LEVEL SECURITY;
  SELECT date_trunc('month', greatest(max("timestamp"), now()) + interval '1 month') INTO bound FROM partitions.engagement_event_first;
  EXECUTE format('ALTER TABLE public.engagement_event ATTACH PARTITION partitions.engagement_event_first FOR VALUES FROM (MINVALUE) TO (%L)', bound);
  PERFORM public.create_engagement_partitions(3);
END $body$;

-- A row of a lead that was merged meanwhile is stored for the lead that remains.
CREATE TRIGGER "engagement_event_of_merged_lead" BEFORE INSERT ON "engagement_event" FOR EACH ROW
  WHEN (NEW."lead_id" IS NOT NULL) EXECUTE FUNCTION platform.follow_merged_lead();

-- CreateTable
CREATE TABLE "engagement_key" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "key" TEXT NOT NULL,
    "event_id" BIGINT NOT NULL,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "engagement_key_pkey" PRIMARY KEY ("tenant_id","environment","key")
);

-- CreateTable
CREATE TABLE "counting" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "timezone" TEXT NOT NULL,
    "wanted_timezone" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "timezone_before" TEXT,
    "recounted_to" BIGINT NOT NULL DEFAULT 0,
    "recount_up_to" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "counting_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- CreateTable
CREATE TABLE "measure" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "day" DATE NOT NULL,
    "name" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "team_id" BIGINT NOT NULL,
    "shard" SMALLINT NOT NULL DEFAULT 0,
    "count" BIGINT NOT NULL,
    "amount" DECIMAL(65,30) NOT NULL DEFAULT 0,

    CONSTRAINT "measure_pkey" PRIMARY KEY ("tenant_id","environment","name","day","value","user_id","team_id","shard")
);

-- CreateTable
CREATE TABLE "lead_fact" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "timezone" TEXT NOT NULL,
    "status" TEXT,
    "source" TEXT,
    "score" DOUBLE PRECISION,
    "user_id" BIGINT,
    "team_id" BIGINT,
    "partner_id" BIGINT,
    "account_id" BIGINT,
    "has_phone" BOOLEAN,
    "created_at" TIMESTAMPTZ(3),
    "converted_at" TIMESTAMPTZ(3),

    CONSTRAINT "lead_fact_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "opportunity_fact" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "timezone" TEXT NOT NULL,
    "status" TEXT,
    "stage" TEXT,
    "pipeline_id" BIGINT,
    "value" DECIMAL(65,30),
    "currency" TEXT,
    "lead_id" BIGINT,
    "user_id" BIGINT,
    "team_id" BIGINT,
    "created_at" TIMESTAMPTZ(3),
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "opportunity_fact_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "partner_fact" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "timezone" TEXT NOT NULL,
    "status" TEXT,
    "created_at" TIMESTAMPTZ(3),

    CONSTRAINT "partner_fact_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "commission_fact" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "timezone" TEXT NOT NULL,
    "status" TEXT,
    "amount" DECIMAL(65,30),
    "currency" TEXT,
    "partner_id" BIGINT,
    "created_at" TIMESTAMPTZ(3),

    CONSTRAINT "commission_fact_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "task_fact" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "is_deleted" BOOLEAN NOT NULL,
    "timezone" TEXT NOT NULL,
    "status" TEXT,
    "user_id" BIGINT,
    "team_id" BIGINT,
    "due_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3),

    CONSTRAINT "task_fact_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "first_touch" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "first_touch_pkey" PRIMARY KEY ("tenant_id","environment","lead_id")
);

ALTER TABLE "first_touch" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "first_touch" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "first_touch" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- CreateTable
CREATE TABLE "step" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "type" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "step_pkey" PRIMARY KEY ("tenant_id","environment","type","record_id","at","value")
);

-- CreateIndex
CREATE INDEX "engagement_key_tenant_id_environment_event_id_idx" ON "engagement_key"("tenant_id", "environment", "event_id");

-- CreateIndex
CREATE INDEX "engagement_key_tenant_id_environment_timestamp_idx" ON "engagement_key"("tenant_id", "environment", "timestamp");

-- CreateIndex
CREATE INDEX "lead_fact_tenant_id_environment_created_at_id_idx" ON "lead_fact"("tenant_id", "environment", "created_at", "id");
CREATE INDEX "lead_fact_tenant_id_environment_is_deleted_id_idx" ON "lead_fact"("tenant_id", "environment", "is_deleted", "id");
CREATE INDEX "first_touch_tenant_id_environment_at_lead_id_idx" ON "first_touch"("tenant_id", "environment", "at", "lead_id");
CREATE INDEX "lead_fact_tenant_id_environment_converted_at_id_idx" ON "lead_fact"("tenant_id", "environment", "converted_at", "id");
CREATE INDEX "opportunity_fact_tenant_id_environment_closed_at_id_idx" ON "opportunity_fact"("tenant_id", "environment", "closed_at", "id");
CREATE INDEX "commission_fact_tenant_id_environment_created_at_id_idx" ON "commission_fact"("tenant_id", "environment", "created_at", "id");
CREATE INDEX "task_fact_tenant_id_environment_completed_at_id_idx" ON "task_fact"("tenant_id", "environment", "completed_at", "id");

-- CreateIndex
CREATE INDEX "opportunity_fact_tenant_id_environment_lead_id_idx" ON "opportunity_fact"("tenant_id", "environment", "lead_id");

-- CreateIndex
CREATE INDEX "opportunity_fact_tenant_id_environment_created_at_id_idx" ON "opportunity_fact"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "task_fact_tenant_id_environment_status_due_at_idx" ON "task_fact"("tenant_id", "environment", "status", "due_at");

-- CreateIndex
CREATE INDEX "step_tenant_id_environment_type_at_value_record_id_idx" ON "step"("tenant_id", "environment", "type", "at", "value", "record_id");

ALTER TABLE "engagement_key" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "engagement_key" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "engagement_key" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "counting" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "counting" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "counting" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "measure" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "measure" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "measure" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "lead_fact" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_fact" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_fact" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "opportunity_fact" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "opportunity_fact" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "opportunity_fact" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "partner_fact" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "partner_fact" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "partner_fact" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "commission_fact" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "commission_fact" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "commission_fact" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "task_fact" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "task_fact" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "task_fact" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "step" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "step" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "step" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());


-- Skips an event whose insertId is taken, and marks the first one of its type that a lead caused with a message.
CREATE FUNCTION public.keep_engagement_unique() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.insert_id IS NOT NULL THEN
    INSERT INTO public.engagement_key (tenant_id, environment, key, event_id, "timestamp")
      VALUES (NEW.tenant_id, NEW.environment, 'insert ' || NEW.insert_id, NEW.id, NEW."timestamp") ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  NEW.is_first := false;
  IF NOT NEW.automated AND NEW.lead_id IS NOT NULL AND NEW.message_id IS NOT NULL THEN
    INSERT INTO public.engagement_key (tenant_id, environment, key, event_id, "timestamp")
      VALUES (NEW.tenant_id, NEW.environment, concat_ws(' ', 'first', NEW.type, NEW.lead_id, NEW.message_id), NEW.id, NEW."timestamp")
      ON CONFLICT DO NOTHING;
    NEW.is_first := FOUND;
  END IF;
  RETURN NEW;
END $body$;
CREATE TRIGGER "engagement_event_unique" BEFORE INSERT ON "engagement_event" FOR EACH ROW EXECUTE FUNCTION public.keep_engagement_unique();
