/** What sentinels call the primary that they watch. */
export const PRIMARY_NAME = "primary";
