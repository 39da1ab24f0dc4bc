/** The name of the primary in sentinels' settings. */
export const PRIMARY_NAME = "primary";
