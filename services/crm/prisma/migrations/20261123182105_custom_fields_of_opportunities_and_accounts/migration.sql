-- AlterTable
ALTER TABLE "account" ADD COLUMN     "custom_date_1" TIMESTAMPTZ(3),
ADD COLUMN     "custom_date_2" TIMESTAMPTZ(3),
ADD COLUMN     "custom_number_1" DOUBLE PRECISION,
ADD COLUMN     "custom_number_2" DOUBLE PRECISION,
ADD COLUMN     "custom_number_3" DOUBLE PRECISION,
ADD COLUMN     "custom_number_4" DOUBLE PRECISION,
ADD COLUMN     "custom_text_1" TEXT,
ADD COLUMN     "custom_text_2" TEXT,
ADD COLUMN     "custom_text_3" TEXT,
ADD COLUMN     "custom_text_4" TEXT;

-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "custom_date_1" TIMESTAMPTZ(3),
ADD COLUMN     "custom_date_2" TIMESTAMPTZ(3),
ADD COLUMN     "custom_number_1" DOUBLE PRECISION,
ADD COLUMN     "custom_number_2" DOUBLE PRECISION,
ADD COLUMN     "custom_number_3" DOUBLE PRECISION,
ADD COLUMN     "custom_number_4" DOUBLE PRECISION,
ADD COLUMN     "custom_text_1" TEXT,
ADD COLUMN     "custom_text_2" TEXT,
ADD COLUMN     "custom_text_3" TEXT,
ADD COLUMN     "custom_text_4" TEXT;

SELECT platform.create_lookup('json', 'opportunity', 'custom_fields', 'custom_fields');
