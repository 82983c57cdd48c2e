// The camera's arm: a foot on the base board, an elbow and a head, on two wooden rods of 12 mm.
// Wood and plastic: nothing that an antenna minds.
//
//   openscad -o arm-foot.stl arm.scad
//   openscad -D 'part="elbow"' -o arm-elbow.stl arm.scad
//   openscad -D 'part="head"' -o arm-head.stl arm.scad
//
// Print as it stands, without support. All lengths in millimetres.

/* [What] */
part = "foot";      // [foot, elbow, head]

/* [Rods] */
rod = 12;

/* [Print] */
wall = 4;
fit = 0.25;         // gap around a rod
$fn = 64;

bore = rod + 2 * fit;
tube = bore + 2 * wall;
deep = 40;          // how deep a rod sits
screw = 2.6;        // an M3 screw cuts its own thread in it

// A hole along +y whose roof is a gable: no support, whatever lies above.
module hole_y(d, length) {
    rotate([-90, 0, 0]) linear_extrude(length) {
        circle(d = d);
        polygon([[-d / 2 * sin(45), -d / 2 * cos(45)], [0, -d / 2 / cos(45)], [d / 2 * sin(45), -d / 2 * cos(45)]]);
    }
}

module foot() {
    linear_extrude(5) difference() {
        offset(8) square([54, 54], center = true);
        for (x = [-1, 1], y = [-1, 1]) translate([27 * x, 27 * y]) circle(d = 4.5);
    }
    difference() {
        rotate_extrude() polygon([
            [0, 0], [tube / 2 + 8, 0], [tube / 2 + 8, 5], [tube / 2, 13],
            [tube / 2, 5 + deep], [bore / 2, 5 + deep], [bore / 2, 5], [0, 5],
        ]);
        translate([0, 0, 30]) hole_y(screw, tube);
    }
}

// The upright rod comes from below, the other goes out along +y: both are held by a screw.
module elbow() {
    long = tube + deep;
    difference() {
        union() {
            translate([-tube / 2, -tube / 2, 0]) cube([tube, long, tube]);
            cylinder(d = tube, h = tube);
        }
        translate([0, 0, -1]) cylinder(d = bore, h = tube + 2);
        translate([0, tube / 2 + wall, tube / 2]) hole_y(bore, long);
        translate([0, long / 2 + 6, tube / 2]) rotate([0, 0, -90]) hole_y(screw, tube);
        translate([0, 0, tube / 3]) rotate([0, 0, -90]) hole_y(screw, tube);
    }
}

// A plate at the rod's end: a webcam's clip holds on to its rim, or a 1/4 inch screw goes through it.
module head() {
    difference() {
        union() {
            translate([-tube / 2, 0, 0]) cube([tube, deep, tube]);
            translate([-35, deep - 0.1, 0]) cube([70, 45, 4]);
            // The plate is stiffened where it leaves the tube.
            translate([-1.5, deep - 0.1, 0]) rotate([90, 0, 90]) linear_extrude(3) polygon([[0, 0], [18, 0], [18, 4], [0, tube]]);
        }
        translate([0, -1, tube / 2]) hole_y(bore, deep - wall + 1);
        translate([0, deep + 30, -1]) cylinder(d = 6.6, h = 10);
        translate([0, 14, tube / 2]) rotate([0, 0, -90]) hole_y(screw, tube);
    }
}

if (part == "foot") foot();
else if (part == "elbow") elbow();
else head();
