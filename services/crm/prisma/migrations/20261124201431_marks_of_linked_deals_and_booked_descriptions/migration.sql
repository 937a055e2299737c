-- AlterTable
ALTER TABLE "calendar_event" ADD COLUMN     "described_by_user" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "from_booking" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "opportunity" ADD COLUMN     "lead_by_conversion" BOOLEAN;
